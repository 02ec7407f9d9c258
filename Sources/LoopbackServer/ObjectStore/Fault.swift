public import Foundation

extension LoopbackObjectStore {
    /// A way in which one operation goes wrong.
    ///
    /// The signature is verified first where the body is read, so a fault does not hide a client's error.
    public indirect enum Fault: Sendable {
        /// An error document with this status and code; the operation takes no effect.
        ///
        /// A client that waits for 100 (`Expect: 100-continue`) gets it before it sends the body.
        case error(status: Int, code: String, retryAfter: Int? = nil)
        /// Status 200 with an error document in its body, as S3 may answer a CompleteMultipartUpload that began well; the
        /// operation takes no effect.
        case errorInsideSuccess(code: String)
        /// The connection is reset when this many bytes of the request's body have arrived; no effect.
        case resetInsideRequest(afterBytes: Int)
        /// The connection is reset when the request has arrived; no effect.
        case resetBefore
        /// The operation takes effect, and the connection is reset before the response.
        case resetAfter
        /// The operation takes effect, and the connection is reset after half of the response's body.
        case resetInsideResponse
        /// The response's body ends, with the connection, before its `Content-Length`.
        case truncatedBody
        /// One byte of the response's body is wrong; its checksum header is right.
        case flippedByte
        /// The response's checksum header is wrong; its body is right.
        case wrongChecksum
        /// The operation, with another fault or none, begins when the gate is open.
        case held(Gate, then: Fault? = nil)
        /// The operation, with another fault or none, begins after this many seconds.
        case delayed(TimeInterval, then: Fault? = nil)
        /// A page of a listing repeats a key: the last one of the page before, or its own first.
        case repeatedKey
        /// A page of a listing is empty and truncated; its token continues at the same place.
        case emptyPage
        /// The continuation token of a listing is refused.
        case expiredContinuationToken
        /// The request is verified by a clock that is this many seconds further ahead.
        case clockSkew(TimeInterval)
        /// `If-None-Match` and `If-Match` of an operation that writes are ignored, as by a store that does not know them.
        case ignoredCondition

        /// 503 `SlowDown` without `Retry-After`.
        public static let slowDown = slowDown(retryAfter: nil)
        /// 500 `InternalError`.
        public static let internalError = error(status: 500, code: "InternalError")
        /// 409 `ConditionalRequestConflict`.
        public static let conflict = error(status: 409, code: "ConditionalRequestConflict")
        /// 412 `PreconditionFailed`.
        public static let preconditionFailed = error(status: 412, code: "PreconditionFailed")

        /// 503 `SlowDown` with `Retry-After` in seconds.
        public static func slowDown(retryAfter seconds: Int?) -> Fault {
            error(status: 503, code: "SlowDown", retryAfter: seconds)
        }
    }
}

extension LoopbackObjectStore.Fault {
    /// Waits as the fault says, and returns the fault behind it.
    ///
    /// Called on the connection's thread.
    static func afterWaiting(_ fault: Self?) -> Self? {
        var fault = fault
        while true {
            switch fault {
            case .held(let gate, let next):
                gate.wait()
                fault = next
            case .delayed(let seconds, let next):
                Thread.sleep(forTimeInterval: seconds)
                fault = next
            default: return fault
            }
        }
    }

    /// The seconds by which it changes the clock.
    var clockSkew: TimeInterval {
        if case .clockSkew(let seconds) = self { seconds } else { 0 }
    }

    var ignoresConditions: Bool {
        if case .ignoredCondition = self { true } else { false }
    }

    /// The response instead of the operation; nil if the operation is carried out.
    func replacement(requestID: String, resource: String) -> LoopbackServer.Response? {
        switch self {
        case .error(let status, let code, let retryAfter):
            let headers = retryAfter.map { [("Retry-After", String($0))] } ?? []
            let error = ObjectStoreError(
                status,
                code: code,
                "A fault that a test asked for.",
                headers: headers
            )
            return .failure(error, resource: resource, requestID: requestID)
        case .errorInsideSuccess(let code):
            let error = ObjectStoreError(200, code: code, "A fault that a test asked for.")
            return .failure(error, resource: resource, requestID: requestID)
        case .resetBefore, .resetInsideRequest: return LoopbackServer.Response(body: .reset)
        default: return nil
        }
    }

    /// Changes the response to an operation that was carried out.
    func apply(to response: inout LoopbackServer.Response) {
        guard case .data(let data) = response.body else { return }
        switch self {
        case .resetAfter: response.body = .reset
        case .resetInsideResponse:
            response.body = .resetAfter(data.prefix(data.count / 2), declaredLength: data.count)
        case .truncatedBody where !data.isEmpty:
            response.body = .truncated(data.prefix(data.count / 2), declaredLength: data.count)
        case .flippedByte where !data.isEmpty:
            var bytes = [UInt8](data)
            bytes[bytes.count / 2] ^= 1
            response.body = .data(Data(bytes))
        case .wrongChecksum:
            let others = response.headers.filter { !$0.name.hasPrefix("x-amz-checksum-") }
            let names = response.headers.map(\.name).compactMap { name in
                Checksum.allCases.first { $0.header == name }
            }
            response.headers =
                others
                + (names.isEmpty ? [.crc32] : names).map { ($0.header, $0.value(of: data + [0])) }
        default: break
        }
    }
}
