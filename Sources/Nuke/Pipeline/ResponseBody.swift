import Foundation
import FoundationNetworking
import Synchronization

/// The body of one response as it comes in, up to a limit.
final class ResponseBody: Sendable {
    /// More is not reserved on the word of a header field alone.
    private static let largestReservation = 16 * 1024 * 1024

    private struct State {
        var data = Data()
        var response: URLResponse?
        var continuation: CheckedContinuation<LoadedData, any Error>?
        var load: (any Cancellable)?
        var isOver = false
        /// What an earlier load left; in memory again what this one leaves.
        var resumable: ResumableData?
        /// What it is the beginning of, if the response goes on with it, and how long that beginning is.
        var resumed: ResumableResponse?
        var resumedBytes = 0
        /// What has to come next, since it was there before.
        var overlap = Data()
    }

    /// A part came where the server promised to go on with another whole: the load is to begin anew.
    private struct NotContinued: Swift.Error {}

    private let limit: Int
    private let partial: PartialDownload?
    private let keepsParts: Bool
    private let onPart: (@Sendable (LoadedPart) -> Void)?
    private let state: Mutex<State>

    /// Refuses more than `limit` bytes; nil for no limit.
    ///
    /// With `resuming`, a response of status 206 goes on where that ends. A large body grows in `partial` as well. `onPart`
    /// is told of each chunk, with all bytes so far if it `keepsParts`.
    init(
        limit: Int?,
        resuming resumable: ResumableData? = nil,
        partial: PartialDownload? = nil,
        keepsParts: Bool = false,
        onPart: (@Sendable (LoadedPart) -> Void)? = nil
    ) {
        self.limit = limit ?? .max
        self.partial = partial
        self.keepsParts = keepsParts
        self.onPart = onPart
        state = Mutex(State(resumable: resumable))
    }

    /// What can be kept in memory of a load that broke off, and is not on the disk.
    var resumableData: ResumableData? { state.withLock { $0.resumable } }

    /// Whether the load failed since it asked for a rest that the server does not give.
    func isResumeRefused(_ error: any Swift.Error) -> Bool {
        if error is NotContinued { return true }
        // 412: the precondition failed; 416: the range lies outside (RFC 9110, sections 15.5.13 and 15.5.17).
        return [412, 416].contains(error.statusCode)
    }

    /// Starts a load that calls `append` and `end`, and waits for its end.
    /// - Throws: the error that the load ended with, `dataDownloadExceededMaximumSize`, or `CancellationError`.
    func receive(_ start: () -> any Cancellable) async throws -> LoadedData {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.isOver { state.continuation = continuation }
                    return state.isOver
                }
                guard !isOver else { return continuation.resume(throwing: CancellationError()) }
                let load = start()
                let isOverNow = state.withLock { state in
                    if !state.isOver { state.load = load }
                    return state.isOver
                }
                if isOverNow { load.cancel() }
            }
        } onCancel: {
            finish(CancellationError())
        }
    }

    /// Takes the next chunk.
    func append(_ chunk: Data, _ response: URLResponse) {
        let (failure, part): ((any Swift.Error)?, LoadedPart?) = state.withLock { state in
            guard !state.isOver else { return (nil, nil) }
            do {
                if state.response == nil { try begin(&state, response, chunk.count) }
                try compare(&state, chunk)
            } catch {
                return (error, nil)
            }
            if state.data.isEmpty, Int(clamping: response.expectedContentLength) <= chunk.count {
                state.data = chunk
            } else {
                state.data.append(chunk)
            }
            guard state.data.count <= limit else {
                return (ImagePipeline.Error.dataDownloadExceededMaximumSize, nil)
            }
            grow(state)
            return (nil, onPart == nil ? nil : loaded(state, response))
        }
        if let failure { finish(failure) }
        if let part { onPart?(part) }
    }

    /// Takes the first response: what went before, if it is one of a part, and room for what it promises.
    private func begin(_ state: inout State, _ response: URLResponse, _ count: Int) throws {
        state.response = response
        if let resumable = state.resumable {
            state.resumable = nil
            if ResumableData.isResumedResponse(response) {
                guard resumable.isContinued(by: response) else { throw NotContinued() }
                state.data = resumable.data
                state.overlap = resumable.overlap
                (state.resumed, state.resumedBytes) = (resumable.whole, resumable.data.count)
            } else {
                partial?.startOver()
            }
        }
        let length = response.expectedContentLength
        guard length <= limit - state.data.count else {
            throw ImagePipeline.Error.dataDownloadExceededMaximumSize
        }
        if length > count {
            state.data.reserveCapacity(state.data.count + min(Int(clamping: length), Self.largestReservation))
        }
    }

    /// Compares the next chunk with what was there before, as far as that goes.
    private func compare(_ state: inout State, _ chunk: Data) throws {
        guard !state.overlap.isEmpty else { return }
        let count = min(chunk.count, state.overlap.count)
        guard chunk.prefix(count) == state.overlap.prefix(count) else { throw NotContinued() }
        state.overlap = state.overlap.dropFirst(count)
    }

    /// Has the partial download grow with what has come, unless that is little.
    private func grow(_ state: State) {
        guard state.data.count >= PartialDownload.step else { return }
        partial?.grow(to: state.data, of: whole(state)) { [weak self] in
            self?.state.withLock { [weak self] state in if !state.isOver { self?.grow(state) } }
        }
    }

    /// What the body is to become, if its rest can be asked for.
    private func whole(_ state: State) -> ResumableResponse? {
        state.resumed ?? state.response.flatMap { ResumableResponse($0) }
    }

    private func loaded(_ state: State, _ response: URLResponse) -> LoadedPart {
        // Of encoded content that is the length of the encoded bytes, which these are not.
        let length = response.isEncoded ? -1 : response.expectedContentLength
        let total = length < 0 ? length : length + Int64(state.resumedBytes)
        let isPartial = keepsParts && state.data.count < total
        return LoadedPart(
            progress: .init(completed: Int64(state.data.count), total: total),
            data: isPartial ? LoadedData(data: state.data, response: response, isStorable: false) : nil
        )
    }

    /// Takes the end, also of a load that never began.
    func end(_ error: (any Error)?) {
        finish(error, isByLoader: true)
    }

    private func finish(_ error: (any Error)?, isByLoader: Bool = false) {
        let (error, continuation, load, loaded) = state.withLock { state in
            let error = error ?? lie(state)
            if let error, !state.isOver { keep(&state, error) }
            state.isOver = true
            defer { (state.continuation, state.load, state.data) = (nil, nil, Data()) }
            return (
                error, state.continuation, state.load,
                LoadedData(
                    data: state.data,
                    response: state.response,
                    isStorable: true,
                    partial: error == nil ? partial : nil
                )
            )
        }
        if !isByLoader { load?.cancel() }
        if let error {
            continuation?.resume(throwing: error)
        } else {
            continuation?.resume(returning: loaded)
        }
    }

    /// What is wrong with a body that came to its end: it is not what its server said before.
    private func lie(_ state: State) -> (any Error)? {
        // A rest that is shorter or longer than it had to be.
        if let resumed = state.resumed, resumed.total != state.data.count { return NotContinued() }
        guard let declared = DeclaredDigest(state.response), !declared.fits(state.data) else { return nil }
        return DataLoadingError(
            .integrity,
            url: state.response?.url,
            "the bytes are not those that the server gives the digest of",
            isTransient: true
        )
    }

    /// Keeps what came, on the disk or in memory, unless it is of no use.
    private func keep(_ state: inout State, _ error: any Error) {
        if error.isAboutBytes || isResumeRefused(error) {
            partial?.startOver()
        } else if state.response == nil {
            if partial?.release() == true { state.resumable = nil }
        } else if let whole = whole(state), partial?.keep(state.data, of: whole) != true {
            state.resumable = ResumableData(state.data, of: whole)
        }
    }
}

extension Swift.Error {
    /// Whether there were too many bytes or others than declared, so that to go on with them is of no use.
    fileprivate var isAboutBytes: Bool {
        if case .dataDownloadExceededMaximumSize = self as? ImagePipeline.Error { return true }
        return [.tooLarge, .integrity].contains((self as? DataLoadingError)?.reason)
    }

    /// The status that a loader refused, if this says so.
    fileprivate var statusCode: Int? {
        if let error = self as? DataLoadingError { return error.statusCode }
        if case .statusCodeUnacceptable(let status) = self as? DataLoader.Error { return status }
        return nil
    }
}
