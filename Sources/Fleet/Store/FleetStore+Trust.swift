import Files
import JobPlanning

/// Whom a process trusts: the one who gave it the plan's name, or the users who alone can write to the store.
extension FleetStore {
    /// Checks that the file of a plan may be believed: its name was given, or nobody but this user and root can have written it.
    /// - Throws: `RunError.forged` with the remedy, `machine` if the folder cannot be looked at.
    func requireTrust(in key: String) throws(RunError) {
        guard trusted == nil else { return }
        let remedy =
            "name the plan that you trust with --plan HASH or NUKE_BATCH_PLAN; nuke-batch fleet plan printed its hash"
        guard isFolder else {
            throw .forged("others may write to \(place), and nothing says which plan is right: \(remedy)")
        }
        guard let stranger = try stranger(of: key) else { return }
        throw .forged("\(stranger), so that anybody's plan could be in \(place): \(remedy)")
    }

    /// True if nobody but this user and root can write to the store, a folder, itself.
    /// - Throws: `RunError.machine`.
    func isOwn() throws(RunError) -> Bool {
        guard isFolder else { return false }
        return try RunError.wrapping { try FileOwners.stranger(at: place) == nil }
    }

    private func stranger(of key: String) throws(RunError) -> String? {
        try RunError.wrapping {
            if let stranger = try FileOwners.stranger(at: place) { return stranger }
            return try FileOwners.stranger(at: appending(key))
        }
    }
}
