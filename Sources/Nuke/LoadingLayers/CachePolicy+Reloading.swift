import Foundation
import FoundationNetworking

extension URLRequest.CachePolicy {
    /// True if no stored response may answer.
    var isReloading: Bool {
        self == .reloadIgnoringLocalCacheData || self == .reloadIgnoringLocalAndRemoteCacheData
    }
}
