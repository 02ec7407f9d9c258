import Files
import JobManifest
import JobPlanning
import JobStorage
import Synchronization

/// Reservations of paths by the items that are not recorded yet, and the search for items whose paths exclude each other.
///
/// Planning finds equal paths, except those known only after rendering (`{hash}`, `{width}` and the like): there, equal bytes
/// share a file; different bytes would overwrite each other, so the second fails as `collision`. So does one that
/// would be a file where another one's needs a folder. Recorded paths are looked up in the store, so that memory holds
/// only the paths of items not recorded yet.
final class OutputPathClaims: Sendable {
    /// An item whose outputs need paths.
    struct Claimant {
        let item: Int64
        /// The outputs that the item makes now.
        let outputs: [String]

        /// The error for other bytes at `path`, whose template lacks `distinction`.
        fileprivate static func collision(at path: String, _ distinction: String) -> ItemError {
            let reason = "another output has already written different bytes to \(path)"
            return ItemError(.collision, "\(reason): add \(distinction) to the output's path")
        }
    }

    private struct Claim {
        let sha256: String
        var items: [Int64]
    }

    private struct State {
        /// By bytes: two paths of one text can be two files.
        var claims: [BytePath: Claim] = [:]
        var paths: [Int64: [BytePath]] = [:]
    }

    private let state = Mutex(State())
    let store: JobStore
    /// True if planning knows the paths of all outputs, and has found those that are equal.
    private let knowsPaths: Bool
    /// The outputs, by their places in the manifest, that would be taken for sources without the state.
    let amongSources: Set<Int>
    /// Lets the store know the files of the job's other states.
    let learning: OnceTask<Result<Void, ItemError>>

    /// Creates empty claims; `store` knows the paths written before, and `others` returns the paths of the job's other states.
    init(
        _ store: JobStore,
        knowsPaths: Bool,
        amongSources: Set<Int> = [],
        others: @escaping @Sendable () throws -> [String] = { [] }
    ) {
        (self.store, self.knowsPaths, self.amongSources) = (store, knowsPaths, amongSources)
        learning = OnceTask { await Self.learn(of: others, into: store) }
    }

    /// Claims `path` for a rendered output until the release of its item; paths that planning knows are all different.
    ///
    /// `isTaken` is called after the claim and returns true if the file exists. `distinction` names the variables that the path
    /// lacks.
    /// - Throws: `ItemError` of code `collision` for a path with other bytes, `local` if the state cannot be read; the error
    ///   of `isTaken`.
    func take(
        _ path: String,
        sha256: String,
        for claimant: Claimant,
        distinction: String,
        isTaken: () throws(FileError) -> Bool
    ) async throws {
        let isFree = claim(path, sha256: sha256, item: claimant.item)
        if knowsPaths { return }
        guard isFree else { throw Claimant.collision(at: path, distinction) }
        // An item leaves its file and its record before it releases its claim.
        guard try isTaken() else { return }
        let isOthers: Bool
        do throws(JobStoreError) {
            isOthers = try await store.hasOutput(
                at: path,
                otherThan: sha256,
                notOf: claimant.item,
                making: claimant.outputs
            )
        } catch {
            throw ItemError(.local, error.description)
        }
        if isOthers { throw Claimant.collision(at: path, distinction) }
    }

    /// Returns normally if no other output is a file where `path`, an output of `item`, needs a folder, or the reverse.
    /// - Throws: `ItemError` of code `collision` if one is, `local` if the state cannot be read.
    func requireNoCrossing(_ path: String, item: Int64) async throws(ItemError) {
        // The claims first: an item that leaves them has been recorded.
        var isCrossed = state.withLock { $0.claims.keys.contains { Self.cross($0.description, path) } }
        if !isCrossed {
            do throws(JobStoreError) {
                isCrossed = try await store.hasOutput(across: path, notOf: item)
            } catch {
                throw ItemError(.local, error.description)
            }
        }
        if isCrossed {
            throw ItemError(
                .collision,
                "another output is a file where \(path) needs a folder, or the reverse: change the path of one of them"
            )
        }
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
        let path = BytePath(path)
        return state.withLock { state in
            guard state.claims[path]?.sha256 ?? sha256 == sha256 else { return false }
            state.claims[path, default: Claim(sha256: sha256, items: [])].items.append(item)
            state.paths[item, default: []].append(path)
            return true
        }
    }

    /// True if one path would be a folder of the other.
    private static func cross(_ first: String, _ second: String) -> Bool {
        "\(first)/".utf8.starts(with: "\(second)/".utf8) != "\(second)/".utf8.starts(with: "\(first)/".utf8)
    }
}

extension OutputPathClaims {
    /// Claims all paths of an item's sets of pictures before any of them is written: a set is of one original, so that an item
    /// which cannot have one of the paths gets none of them.
    ///
    /// These are the sets that planning could not decide about, since the format follows the original.
    /// - Returns: The error for all pictures of the sets; nil if the item has their paths.
    /// - Throws: `ItemError` of another code than `collision`.
    func takeSets(
        of rendering: Rendering,
        _ item: OutputItem,
        for claimant: Claimant,
        isTaken: (String) throws(FileError) -> Bool
    ) async throws(ItemError) -> ItemError? {
        for output in rendering.outputs where output.recipe.output.path.isSetDecidedInWriting {
            guard case .encoded(let encoded) = output.result else { continue }
            let path = item.path(of: encoded, by: output.recipe)
            do {
                try await take(
                    path,
                    sha256: encoded.sha256,
                    for: claimant,
                    distinction: output.recipe.output.path.missingDistinction
                ) { () throws(FileError) in try isTaken(path) }
            } catch {
                let error = ItemError(error)
                guard error.code == .collision else { throw error }
                return error
            }
        }
        return nil
    }
}
