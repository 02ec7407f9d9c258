public import Foundation
public import Transport

/// A request that an ``S3Client`` has sent, once for each attempt, with its end.
public struct S3Exchange: Sendable {
    /// The request; its signature is made when it is sent.
    public let request: TransferRequest
    /// The time at which it was sent.
    public let start: Date
    /// The time that it waited before for the rate of its bucket.
    public let blocked: Duration
    /// The head of the answer, if there was one.
    public let head: ResponseHead?
    /// The timings, byte counts and addresses.
    public let metrics: TransferMetrics
    /// The error; nil for an answer.
    public let error: TransportError?
}
