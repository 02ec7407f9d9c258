import Files
import Foundation
import FoundationNetworking
import Synchronization

/// The body of one response while it arrives, up to a limit.
final class ResponseBody: Sendable {
    private struct State {
        var buffer: BodyBuffer
        /// The SHA-256 of the data; nil where nobody wants it.
        var digest: RunningDigest?
        var response: ReceivedResponse?
        var continuation: CheckedContinuation<LoadedData, any Error>?
        var load: (any Cancellable)?
        var isOver = false
        /// The part that an earlier load left; after the end, the part that this one leaves in memory.
        var resumable: ResumableData?
        /// The whole that is being resumed and the length of its beginning, if the response continues it.
        var resumed: ResumableResponse?
        var resumedBytes = 0
        /// The bytes that must come next, since an earlier load had them.
        var overlap = Data()
        /// The beginning that is kept on disk; nil as long as there is none.
        var partial: PartialDownload?
    }

    /// A part of another whole than the one to resume: the load must restart.
    private struct NotContinued: Swift.Error {}

    private let plan: Download.Plan
    private let limit: Int
    /// True if the answer may be a part of a whole, since a range was requested; any other must be the whole.
    private let mayBePart: Bool
    private let onPart: (@Sendable (LoadedPart) -> Void)?
    private let state: Mutex<State>

    /// Refuses more bytes than the limit of `plan`.
    ///
    /// With `resuming`, a response of status 206 continues where that ends. A large body goes to a file of the plan's storage,
    /// and from there also to `partial`, which is begun in the plan's remainder then if an earlier load left none. `onPart` is
    /// called after each chunk, with all bytes so far if the plan keeps parts.
    init(
        _ plan: Download.Plan,
        resuming resumable: ResumableData? = nil,
        partial: PartialDownload? = nil,
        onPart: (@Sendable (LoadedPart) -> Void)? = nil
    ) {
        self.plan = plan
        limit = plan.limit ?? .max
        mayBePart = plan.request.value(forHTTPHeaderField: "Range") != nil
        self.onPart = onPart
        state = Mutex(
            State(
                buffer: BodyBuffer(plan.storage),
                digest: plan.isDigestComputed ? RunningDigest() : nil,
                resumable: resumable,
                partial: partial
            )
        )
    }

    /// The part of an interrupted load to keep in memory; nil if it is on the disk.
    var resumableData: ResumableData? { state.withLock { $0.resumable } }

    /// Returns true if the load failed because the server refuses the requested range.
    func isResumeRefused(_ error: any Swift.Error) -> Bool {
        if error is NotContinued { return true }
        // 412: the precondition failed; 416: the range lies outside (RFC 9110, sections 15.5.13 and 15.5.17). With the others,
        // firewalls and servers refuse any range, although the answer to the whole said that there are some.
        return [400, 403, 405, 412, 416, 501].contains((error as? any StatusError)?.statusCode)
    }

    /// Starts a load that calls `append` and `end`, and waits for its end.
    /// - Throws: the error that the load ended with, `FetchError.tooLarge`, or `CancellationError`.
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

    /// A sink that fills this body.
    var sink: LoadSink {
        LoadSink(receive: { self.append($0, $1) }, completion: { self.end($0) })
    }

    /// Takes the next chunk.
    private func append(_ chunk: Data, _ response: ReceivedResponse) {
        let (failure, part): ((any Swift.Error)?, LoadedPart?) = state.withLock { state in
            guard !state.isOver else { return (nil, nil) }
            do {
                if state.response == nil { try begin(&state, response, with: chunk) }
                try compare(&state, chunk)
                guard chunk.count <= limit - state.buffer.count else { throw FetchError.tooLarge }
                try state.buffer.append(chunk)
            } catch {
                return (error, nil)
            }
            state.digest?.append(chunk)
            grow(&state)
            return (nil, onPart == nil ? nil : progress(state, response))
        }
        if let failure { finish(failure) }
        if let part { onPart?(part) }
    }

    /// Handles the first response: makes room for the declared length, and restores the resumed part.
    private func begin(_ state: inout State, _ response: ReceivedResponse, with chunk: Data) throws {
        state.response = response
        let length = Int(clamping: response.expectedContentLength)
        if let resumable = state.resumable {
            state.resumable = nil
            if response.statusCode == 206 {
                guard resumable.isContinued(by: response) else { throw NotContinued() }
                guard length <= limit - resumable.data.count else { throw FetchError.tooLarge }
                try state.buffer.expect(resumable.data.count + max(length, 0), first: 0)
                try state.buffer.append(resumable.data)
                state.digest?.append(resumable.data)
                resumable.mapping?.releaseMemory()
                state.overlap = resumable.overlap
                (state.resumed, state.resumedBytes) = (resumable.whole, resumable.data.count)
                return
            }
            // Some servers send the rest as if it were the whole.
            guard !resumable.isRest(response, beginningWith: chunk) else { throw NotContinued() }
            state.partial?.startOver()
        }
        guard mayBePart || !response.isPart else {
            throw DataLoadingError(
                .integrity,
                url: response.url,
                "the server answered with a part (206) although the whole was requested",
                isTransient: true
            )
        }
        guard length <= limit else { throw FetchError.tooLarge }
        try state.buffer.expect(max(length, 0), first: chunk.count)
    }

    /// Compares the next chunk with the overlapping bytes of the resumed part.
    private func compare(_ state: inout State, _ chunk: Data) throws {
        guard !state.overlap.isEmpty else { return }
        let count = min(chunk.count, state.overlap.count)
        guard chunk.prefix(count) == state.overlap.prefix(count) else { throw NotContinued() }
        state.overlap = state.overlap.dropFirst(count)
    }

    /// Adds the new bytes to the partial download, unless they are few.
    private func grow(_ state: inout State) {
        guard let file = state.buffer.file else { return }
        partial(&state)?.grow(to: file, of: whole(state)) { [weak self] in
            self?.state.withLock { [weak self] state in if !state.isOver { self?.grow(&state) } }
        }
    }

    /// Returns the partial download, which begins once the body is in a file.
    private func partial(_ state: inout State) -> PartialDownload? {
        if state.partial == nil, state.buffer.file != nil { state.partial = plan.remainder?.beginOnDisk() }
        return state.partial
    }

    /// Returns the whole that the body becomes, if its rest can be requested.
    private func whole(_ state: State) -> ResumableResponse? {
        state.resumed ?? state.response.flatMap { ResumableResponse($0) }
    }

    private func progress(_ state: State, _ response: ReceivedResponse) -> LoadedPart {
        // For encoded content it is the length of the encoded bytes, not of these.
        let length = response.isEncoded ? -1 : response.expectedContentLength
        let total = length < 0 ? length : length + Int64(state.resumedBytes)
        let isPartial = plan.keepsParts && state.buffer.count < total
        let data = isPartial ? try? state.buffer.contents().data : nil
        return LoadedPart(
            completed: Int64(state.buffer.count),
            total: total,
            data: data.map { LoadedData(data: $0, received: response, isStorable: false) }
        )
    }

    /// Handles the end, also of a load that never began.
    func end(_ error: (any Error)?) {
        finish(error, isByLoader: true)
    }

    private func finish(_ error: (any Error)?, isByLoader: Bool = false) {
        typealias End = (
            Result<LoadedData, any Error>, CheckedContinuation<LoadedData, any Error>?,
            load: (any Cancellable)?
        )
        let end: End? = state.withLock { state in
            guard !state.isOver else { return nil }
            let result = Result<LoadedData, any Error> {
                if let error { throw error }
                return try loaded(state)
            }
            if case .failure(let error) = result { keep(&state, error) }
            state.isOver = true
            state.buffer = BodyBuffer(BodyStorage())
            return (result, state.continuation.take(), state.load.take())
        }
        guard let (result, continuation, load) = end else { return }
        if !isByLoader { load?.cancel() }
        continuation?.resume(with: result)
    }

    /// Returns the complete body.
    /// - Throws: The error of a body that is not what its server declared, or `FileError` if it cannot be mapped.
    private func loaded(_ state: State) throws -> LoadedData {
        // The rest is shorter or longer than declared.
        if let resumed = state.resumed, resumed.total != state.buffer.count { throw NotContinued() }
        let (data, mapping) = try state.buffer.contents()
        let sha256 = state.digest.map { Data($0.value) }
        if let declared = DeclaredDigest(state.response) {
            guard declared.fits(data, sha256: sha256) else {
                throw DataLoadingError(
                    .integrity,
                    url: state.response?.url,
                    "the bytes are not those that the server gives the digest of",
                    isTransient: true
                )
            }
            mapping?.releaseMemory()
        }
        state.buffer.hold?.complete()
        return LoadedData(
            data: data,
            received: state.response,
            isStorable: true,
            sha256: sha256,
            partial: state.partial,
            file: state.buffer.file,
            mapping: mapping,
            hold: state.buffer.hold
        )
    }

    /// Keeps the bytes so far, on disk or in memory, unless they are useless.
    private func keep(_ state: inout State, _ error: any Error) {
        if isAboutBytes(error) || isResumeRefused(error) {
            state.partial?.startOver()
        } else if state.response == nil {
            if state.partial?.release() == true { state.resumable = nil }
        } else if let whole = whole(state), partial(&state)?.keep(state.buffer.file, of: whole) != true,
            let (data, mapping) = try? state.buffer.contents()
        {
            let hasOverlap = data.count >= 2 * ResumableData.overlapCount
            // A part that is too short to be compared is not worth the risk where the others are.
            guard hasOverlap || plan.remainder?.disk == nil else { return }
            let overlap = hasOverlap ? ResumableData.overlapCount : 0
            state.resumable = ResumableData(data, of: whole, overlap: overlap, mapping: mapping)
        }
    }
}

/// True if there were too many bytes, or others than declared, so that resuming is useless.
private func isAboutBytes(_ error: any Swift.Error) -> Bool {
    switch error {
    case FetchError.tooLarge: true
    case let error as DataLoadingError: [.tooLarge, .integrity].contains(error.reason)
    default: false
    }
}
