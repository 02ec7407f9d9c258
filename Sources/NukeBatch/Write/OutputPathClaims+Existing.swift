import Files
import JobPlanning
import JobStorage

/// The job's own files, which `"existing": "keep"` does not keep and which are never sources.
extension OutputPathClaims {
    /// Returns true if the file at `path` is one that the job has written, for this item, for another one or for one that left the
    /// manifest: in this state or another one beside it, as of a partition in which the item was before.
    ///
    /// `holds` returns true if the file has this size and SHA-256: one that somebody has put in its place is theirs.
    /// - Throws: `ItemError` of code `local` if the state cannot be read; the error of `holds`.
    func isOwn(_ path: String, holds: (_ bytes: Int, _ sha256: String) async throws -> Bool) async throws
        -> Bool
    {
        try await learning.perform().get()
        let written: [(bytes: Int, sha256: String)]
        do throws(JobStoreError) {
            written = try await store.filesWritten(to: path)
        } catch {
            throw ItemError(.local, error.description)
        }
        for file in written where try await holds(file.bytes, file.sha256) { return true }
        return false
    }

    /// Lets the store know the files of the states at the paths that `others` returns: once, and only for a job that finds files
    /// where its own are to be.
    static func learn(of others: @escaping @Sendable () throws -> [String], into store: JobStore) async
        -> Result<Void, ItemError>
    {
        do {
            try await WorkQueue(name: "states", width: 1).run {
                for path in try others() {
                    if let reader = try JobReader(path: path) { try store.learnFiles(of: reader) }
                }
            }
            return .success(())
        } catch {
            return .failure(ItemError(.local, RunError(error).description))
        }
    }

    /// Records that `output` of `item` is about to get its file, so that a crash before its record leaves no file that the job does
    /// not know.
    ///
    /// It costs a commit, so it is for outputs of which that matters.
    /// - Throws: `ItemError` of code `local` if the state cannot be written.
    func announce(_ output: OutputRecord, of item: Int64) async throws(ItemError) {
        do throws(JobStoreError) {
            try await store.announce(output, of: item)
        } catch {
            throw ItemError(.local, error.description)
        }
    }
}
