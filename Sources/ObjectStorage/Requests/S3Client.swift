import Foundation
import Transport

/// Sends requests to an object store until they succeed, are refused, or have failed too often.
///
/// Failures that may pass are repeated with exponential backoff and full jitter (AWS Architecture Blog, "Exponential Backoff
/// And Jitter"). So every request must be one that may take effect twice.
public struct S3Client: Sendable {
    /// The bounds on repeated requests.
    public struct Patience: Sendable {
        /// The most attempts at one request; answers that ask for a lower rate do not count.
        public var attempts = 6
        /// The longest delay before the second attempt; it doubles with each attempt.
        public var firstDelay: Duration = .milliseconds(100)
        /// The longest delay.
        public var longestDelay: Duration = .seconds(20)
        /// The time after which no further attempt begins.
        public var total: Duration = .seconds(600)

        /// Creates the defaults.
        public init() {}
    }

    /// The most answers to a request that do not say that it was done.
    private static let mostOtherAnswers = 3
    /// The most bytes of an answer that has no content of its own, such as that to a PUT.
    static let shortAnswer = 64 << 10
    /// The most bytes of a page of a listing, whose 1,000 keys have up to 3,072 bytes each as they are encoded.
    static let pageLimit = 16 << 20
    /// The most bytes of a whole object that a service sends in place of a range.
    static let wholeLimit = 64 << 20

    let service: S3Service
    let pacing: any RequestPacing
    let patience: Patience
    private let idleTimeout: Duration
    private let observer: (@Sendable (S3Exchange) -> Void)?

    /// Creates a client.
    /// - Parameters:
    ///   - service: The addresses and signatures.
    ///   - pacing: The limit of requests to each bucket.
    ///   - patience: The bounds on repeated requests.
    ///   - idleTimeout: The longest time without a byte of an answer.
    ///   - observer: Called with each request that was sent, on any thread.
    public init(
        _ service: S3Service,
        pacing: any RequestPacing = UnlimitedPacing(),
        patience: Patience = Patience(),
        idleTimeout: Duration = .seconds(60),
        observer: (@Sendable (S3Exchange) -> Void)? = nil
    ) {
        self.service = service
        self.pacing = pacing
        self.patience = patience
        self.idleTimeout = idleTimeout
        self.observer = observer
    }

    /// Sends `request` until an answer says that it was done, in the way that the service documents.
    ///
    /// A proxy, a login page or a broken service may answer 200 to anything: what is not the documented answer is no success.
    /// - Parameters:
    ///   - request: The request.
    ///   - operation: What the request does, for errors: "read", "write".
    ///   - limit: The most bytes of the answer, which is kept in memory.
    ///   - confirm: Finds out in another way whether it was done, after an answer of another kind; nil if it was not.
    ///   - documented: Returns what the documented answer says; nil for another one.
    /// - Returns: What the answer says.
    /// - Throws: ``StoreError``; `unavailable` if no answer is the documented one.
    func send<Value: Sendable>(
        _ request: S3Request,
        to operation: String,
        limit: Int,
        confirm: () async throws(StoreError) -> Value? = { nil },
        documented: (S3Response) throws(StoreError) -> Value?
    ) async throws(StoreError) -> Value {
        var attempt = 1
        while true {
            let answer = try await answer(to: request, operation, limit)
            if let value = try documented(answer) { return value }
            if let value = try await confirm() { return value }
            guard attempt < Self.mostOtherAnswers else {
                throw StoreError(answer, request.location, to: operation, at: service.configuration.endpoint)
            }
            attempt += 1
            try await pause(before: attempt, request, operation)
        }
    }

    /// Returns the first answer that is none of an error.
    private func answer(to request: S3Request, _ operation: String, _ limit: Int) async throws(StoreError)
        -> S3Response
    {
        let start = ContinuousClock.now
        var attempt = 1
        var lessons = 0
        while true {
            let error: StoreError
            switch try await sendOnce(request, to: operation, limit, since: start) {
            case .success(let response): return response
            case .again where lessons < 3:
                lessons += 1
                continue
            case .again(let failure): throw failure
            case .slowedDown(let failure): error = failure
            case .lost(let failure):
                guard attempt < patience.attempts else { throw failure }
                attempt += 1
                error = failure
            }
            guard start.duration(to: .now) < patience.total else { throw error }
            try await pause(before: attempt, request, operation)
        }
    }

    /// The end of one attempt that is not refused for good.
    private enum Outcome {
        case success(S3Response)
        /// The service taught something with which the next attempt may succeed at once.
        case again(StoreError)
        case slowedDown(StoreError)
        case lost(StoreError)
    }

    private func sendOnce(
        _ request: S3Request,
        to operation: String,
        _ limit: Int,
        since start: ContinuousClock.Instant
    ) async throws(StoreError) -> Outcome {
        let (location, bucket) = (request.location, request.location.bucket)
        let asked = ContinuousClock.now
        let paced: any PacedRequest
        do { paced = try await pacing.begin(bucket) } catch is CancellationError {
            throw StoreError(.cancelled, "\(operation) \(location) was cancelled")
        } catch {
            throw StoreError(.unavailable, "cannot \(operation) \(location): \(error)")
        }
        var transfer: TransferRequest
        do throws(CredentialError) { transfer = try await service.transferRequest(request) } catch {
            paced.end(isSlowedDown: false, retryAfter: nil)
            throw StoreError(.credentials, "cannot \(operation) \(location): \(error)")
        }
        transfer.idleTimeout = idleTimeout
        let (sent, blocked) = (Date(), asked.duration(to: .now))
        let result = await service.transport.collect(transfer, limit: limit)
        observer?(
            S3Exchange(
                request: transfer,
                start: sent,
                blocked: blocked,
                head: result.head,
                metrics: result.metrics,
                error: result.error
            )
        )
        let failure = result.head.flatMap { S3Error($0, body: result.body, method: request.method) }
        // Nobody waits longer than there is patience: the request fails then, and the next run asks again.
        let patience = max(.zero, patience.total - start.duration(to: .now))
        let retryAfter = result.head?.value(of: "Retry-After").flatMap { Int($0) }.map {
            min(.seconds(max($0, 0)), patience)
        }
        paced.end(isSlowedDown: failure?.isSlowDown ?? false, retryAfter: retryAfter)
        if let failure, let head = result.head {
            let error = StoreError(failure, location, to: operation, at: service.configuration.endpoint)
            if service.learns(from: failure, head, of: transfer, to: bucket) { return .again(error) }
            if failure.isSlowDown { return .slowedDown(error) }
            guard failure.isTransient else { throw error }
            return .lost(error)
        }
        if let error = result.error {
            let failure = StoreError(error, location, to: operation, at: service.configuration.endpoint)
            guard error.isTransient, error.reason != .cancelled else { throw failure }
            return .lost(failure)
        }
        guard let head = result.head else {
            return .lost(StoreError(.unavailable, "no answer for \(location)"))
        }
        return .success(S3Response(head: head, body: result.body))
    }

    /// Waits a random time up to a bound that doubles with each attempt.
    private func pause(before attempt: Int, _ request: S3Request, _ operation: String)
        async throws(StoreError)
    {
        let bound = min(patience.firstDelay * (1 << min(attempt, 16)), patience.longestDelay)
        do { try await Task.sleep(for: bound * Double.random(in: 0...1)) } catch {
            throw StoreError(.cancelled, "\(operation) \(request.location) was cancelled")
        }
    }
}
