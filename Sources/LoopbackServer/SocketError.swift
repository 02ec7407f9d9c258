import Foundation

/// A socket call that failed.
public struct SocketError: Error, CustomStringConvertible, Sendable {
    /// The call and the error, such as `bind to 127.0.0.1:8099: Address already in use`.
    public let description: String

    init(_ call: String) {
        description = "\(call): \(String(cString: strerror(errno)))"
    }
}
