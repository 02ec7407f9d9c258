import Nuke
import Synchronization

/// A memory cache without limits that counts what it had.
final class CountedCache: ImageCaching {
    private struct State {
        var images: [ImageCacheKey: ImageContainer] = [:]
        var hits = 0
    }

    private let state = Mutex(State())

    var hits: Int { state.withLock { $0.hits } }

    subscript(key: ImageCacheKey) -> ImageContainer? {
        get {
            state.withLock { state in
                let image = state.images[key]
                state.hits += image == nil ? 0 : 1
                return image
            }
        }
        set { state.withLock { $0.images[key] = newValue } }
    }

    func removeAll() { state.withLock { $0.images = [:] } }
}
