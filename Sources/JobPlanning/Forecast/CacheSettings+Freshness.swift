package import Foundation
package import JobManifest
package import Nuke

extension CacheSettings {
    /// True if the origin of an original must be asked at `now` before the cached bytes are used.
    package func mustAsk(_ known: DataCache.Metadata, at now: Date) -> Bool {
        if let maxAge, let answered = known.answered ?? known.created {
            // A clock that was set back makes nothing younger than it is.
            if abs(now.timeIntervalSince(answered)) > maxAge / .seconds(1) { return true }
        }
        switch revalidate {
        case .never: return false
        case .stale: return !known.isFresh(at: now)
        case .always: return true
        }
    }
}
