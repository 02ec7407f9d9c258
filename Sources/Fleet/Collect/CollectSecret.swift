import JobPlanning

/// The secret of a collection in parts, which believes those who know it, or the users who alone can write to the store.
package enum CollectSecret {
    /// The environment variable that has the secret.
    package static let variable = "NUKE_BATCH_COLLECT_SECRET"
    /// The least bytes of a secret: as many as its codes are hard to guess by.
    private static let least = 16

    /// Returns the secret of the environment; nil if there is none, and the store needs none.
    /// - Throws: `RunError.wrongInput` for one that is too short, `forged` if there is none and others may write to the store.
    static func read(_ environment: [String: String], for store: FleetStore) throws(RunError) -> String? {
        guard let secret = environment[variable], !secret.isEmpty else {
            guard try store.isOwn() else {
                throw .forged(
                    "others may write to \(store.place), and so forge the results of parts: give all parts and the merge the "
                        + "same secret in \(variable), such as the output of openssl rand -hex 32"
                )
            }
            return nil
        }
        guard secret.utf8.count >= least else {
            throw .wrongInput(
                "\(variable) has fewer than \(least) bytes: use the output of openssl rand -hex 32"
            )
        }
        return secret
    }
}
