package import Foundation

extension Manifest {
    /// Returns true if `url` is asked for by HEAD: the edge of a CDN loads it, and nothing is kept here.
    package func asksEdge(_ url: URL) -> Bool {
        guard ["http", "https"].contains(url.scheme?.lowercased() ?? "") else { return false }
        return loading.settings(host: url.host ?? "", port: url.port).method == .head
    }

    /// Returns true if the item with this URL, as stored in the state, is asked for by HEAD.
    package func asksEdge(item url: String) -> Bool {
        var headers: [String: String] = [:]
        return ItemURL.loadable(target(of: url), headers: &headers).map(asksEdge) ?? false
    }
}
