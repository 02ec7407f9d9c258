import JobStorage
import Synchronization

/// Reservations of paths that are known only after rendering: `{hash}`, `{width}` and the like.
///
/// Equal bytes share a file; different bytes would overwrite each other, so the second item fails as `collision`.
/// Recorded paths are looked up in the store, so that memory holds only the paths of items not recorded yet.
final class OutputPathClaims: Sendable {
    /// An output that needs a path.
    struct Claimant {
        let item: Int64
        let output: String
    }

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

    /// Creates empty claims; `store` knows the paths written before.
    init(_ store: JobStore) {
        self.store = store
    }

    /// Claims `path` for a rendered output until the release of its item.
    ///
    /// `isTaken` is called after the claim and returns true if the file exists.
    /// - Throws: `ItemError` of code `collision` for a path with other bytes, `local` if the state cannot be read.
    func take(
        _ path: String,
        sha256: String,
        for claimant: Claimant,
        isTaken: () -> Bool
    ) async throws(ItemError) {
        guard claim(path, sha256: sha256, item: claimant.item) else { throw Self.collision(path) }
        // An item leaves its file and its record before it releases its claim.
        guard isTaken() else { return }
        let isOthers: Bool
        do throws(JobStoreError) {
            isOthers = try await store.hasOutput(
                at: path,
                otherThan: sha256,
                notOf: claimant.item,
                named: claimant.output
            )
        } catch {
            throw ItemError(.local, error.description)
        }
        if isOthers { throw Self.collision(path) }
    }

    /// Releases the paths of an item that is recorded or given up.
    func release(_ item: Int64) {
        state.withLock { state in
            for path in state.paths.removeValue(forKey: item) ?? [] {
                state.claims[path]?.items.removeAll { $0 == item }
                if state.claims[path]?.items.isEmpty == true { state.claims[path] = nil }
            }
        }
    }

    private func claim(_ path: String, sha256: String, item: Int64) -> Bool {
        state.withLock { state in
            guard state.claims[path]?.sha256 ?? sha256 == sha256 else { return false }
            state.claims[path, default: Claim(sha256: sha256, items: [])].items.append(item)
            state.paths[item, default: []].append(path)
            return true
        }
    }

    private static func collision(_ path: String) -> ItemError {
        ItemError(
            .collision,
            "another output has already written different bytes to \(path): add {output}, {id} or {index} to the output's path"
        )
    }
}
