import Foundation
import FoundationNetworking
import Synchronization

/// One download as it is kept on the disk while it comes; removed with the last reference to it, unless it broke off.
final class PartialDownload: Sendable {
    /// How many bytes are written at a time, at least; more where the disk is slower than the network.
    static let step = PartialDownloads.minimumSize

    private struct State {
        /// How many bytes, from the beginning, are on the disk or on their way there.
        var given = 0
        var isWriting = false
        /// Nothing of this download can be kept.
        var isHopeless = false
        /// It stays when it is let go.
        var isKept = false
        var resumable: ResumableData?
    }

    private let file: PartialFile
    private let state: Mutex<State>

    init(_ file: PartialFile, resumable: ResumableData?) {
        self.file = file
        let given = resumable.map { $0.data.count + $0.overlap.count } ?? 0
        state = Mutex(State(given: given, resumable: resumable))
    }

    deinit {
        let (isThere, isKept) = state.withLock { ($0.given > 0, $0.isKept) }
        guard isThere else { return }
        file.downloads.perform(file.name) { [file] in
            if isKept { file.close() } else { file.remove() }
        }
    }

    /// What was on the disk of it; once, since it may be large.
    func takeResumableData() -> ResumableData? {
        state.withLock { state in
            defer { state.resumable = nil }
            return state.resumable
        }
    }

    /// Takes all bytes that have come so far, of `whole`, and has a step's worth of new ones written.
    ///
    /// While some are being written no more are; `again` is called when more may be.
    func grow(
        to data: Data,
        of whole: @autoclosure () -> ResumableResponse?,
        again: @escaping @Sendable () -> Void
    ) {
        let isDue = state.withLock { state in
            let isDue = !state.isWriting && !state.isHopeless && data.count - state.given >= Self.step
            if isDue { state.isWriting = true }
            return isDue
        }
        guard isDue else { return }
        guard let whole = whole(), data.count < whole.total, whole.total <= file.downloads.sizeLimit else {
            return state.withLock { $0.isHopeless = true }
        }
        write(data, of: whole, then: again)
    }

    /// Keeps all bytes that came of a download that broke off.
    /// - Returns: Whether they are kept; few are not.
    func keep(_ data: Data, of whole: ResumableResponse) -> Bool {
        let (given, isHopeless) = state.withLock { ($0.given, $0.isHopeless) }
        guard !isHopeless, max(data.count, given) >= PartialDownloads.minimumSize,
            whole.total <= file.downloads.sizeLimit
        else { return false }
        if data.count > given { write(data, of: whole) }
        release()
        return true
    }

    /// Leaves what there is for the next load.
    /// - Returns: Whether there is anything.
    @discardableResult
    func release() -> Bool {
        let isThere = state.withLock { state in
            state.isKept = true
            return state.given > 0
        }
        guard isThere else { return false }
        // Not with the last reference alone: who tries again at once is to find it.
        file.downloads.perform(file.name) { [file] in file.close() }
        return true
    }

    /// Drops what is there, since it is not the beginning of what comes.
    func startOver() {
        let given = state.withLock { state in
            defer { state = State() }
            return state.given
        }
        if given > 0 { file.downloads.perform(file.name) { [file] in file.remove() } }
    }

    private func write(
        _ data: Data,
        of whole: ResumableResponse,
        then: @escaping @Sendable () -> Void = {}
    ) {
        let given = state.withLock { state in
            defer { state.given = data.count }
            return state.given
        }
        // A copy, since the body goes on growing in its place.
        let piece = data.withUnsafeBytes { Data(UnsafeRawBufferPointer(rebasing: $0[given...])) }
        file.downloads.perform(file.name) { [weak self, file] in
            let isWritten = file.append(piece, at: given, of: whole)
            self?.state.withLock { state in
                state.isWriting = false
                if !isWritten { state.isHopeless = true }
            }
            then()
        }
    }
}
