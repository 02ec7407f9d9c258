import JobStorage
import Synchronization

/// Who writes which path, of the paths that are known only when the picture is: `{hash}`, `{width}` and the like.
///
/// Equal bytes share a file; different ones would overwrite each other, so the second fails as `collision`. What is
/// recorded is looked up in the store, so that memory holds only the paths of items that are not recorded yet.
final class LatePaths: Sendable {
    private struct Claim {
        let sha256: String
        var items: [Int64]
    }

    private struct State {
        var claims: [String: Claim] = [:]
        var paths: [Int64: [String]] = [:]
    }

    private let state = Mutex(State())
    private let store: JobStore

    /// Nothing is claimed yet; `store` knows what was written before.
    init(_ store: JobStore) {
        self.store = store
    }

    /// Claims `path` for a picture of `item`, until its release; `isTaken` is asked, after that, whether a file is there.
    /// - Throws: `ItemError` of code `collision` if there are other bytes, of code `local` if the state cannot be read.
    func take(
        _ path: String,
        sha256: String,
        item: Int64,
        isTaken: () -> Bool
    ) async throws(ItemError) {
        guard claim(path, sha256, item) else { throw Self.collision(path) }
        // Whose item is recorded has left its file before it gave up its claim.
        guard isTaken() else { return }
        let isOthers: Bool
        do throws(JobStoreError) {
            isOthers = try await store.hasOutput(at: path, otherThan: sha256, notOf: item)
        } catch {
            throw ItemError("local", error.description, .local)
        }
        if isOthers { throw Self.collision(path) }
    }

    /// The item is recorded, or given up.
    func release(_ item: Int64) {
        state.withLock { state in
            for path in state.paths.removeValue(forKey: item) ?? [] {
                state.claims[path]?.items.removeAll { $0 == item }
                if state.claims[path]?.items.isEmpty == true { state.claims[path] = nil }
            }
        }
    }

    private func claim(_ path: String, _ sha256: String, _ item: Int64) -> Bool {
        state.withLock { state in
            guard state.claims[path]?.sha256 ?? sha256 == sha256 else { return false }
            state.claims[path, default: Claim(sha256: sha256, items: [])].items.append(item)
            state.paths[item, default: []].append(path)
            return true
        }
    }

    private static func collision(_ path: String) -> ItemError {
        ItemError(
            "collision",
            "another item has written other bytes to \(path): add {id} or {index} to the output's path"
        )
    }
}
