import FoundationNetworking
import Synchronization

/// Tells of items that shared a download which of them brought it, since its bytes came over the network once.
final class SharedDownloads: Sendable {
    private struct Group {
        var waiting = 0
        /// Kept while anybody waits, so that no later response can be taken for one of them.
        var responses: [URLResponse] = []
    }

    private let groups = Mutex<[String: Group]>([:])

    /// Somebody waits for the original under `key`, until `end`.
    func begin(_ key: String) {
        groups.withLock { $0[key, default: Group()].waiting += 1 }
    }

    /// Somebody waits no more.
    /// - Returns: Whether somebody else was given the same `response` before.
    @discardableResult
    func end(_ key: String, _ response: URLResponse?) -> Bool {
        groups.withLock { groups in
            var group = groups[key] ?? Group()
            let isShared = group.responses.contains { $0 === response }
            if let response, !isShared { group.responses.append(response) }
            group.waiting -= 1
            groups[key] = group.waiting > 0 ? group : nil
            return isShared
        }
    }
}
