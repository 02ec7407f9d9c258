/// The events of a task that nobody observes yet: the newest ones, since most tasks are never observed.
struct EarlyEvents {
    private static let most = 1000
    /// Each holds an image.
    private static let mostPreviews = 8

    private var events: [ImageTask.Event] = []
    private var previewCount = 0

    /// Keeps an event, and forgets the oldest where there are too many.
    mutating func add(_ event: ImageTask.Event) {
        events.append(event)
        if Self.isPreview(event) {
            previewCount += 1
            if previewCount > Self.mostPreviews, let oldest = events.firstIndex(where: Self.isPreview) {
                remove(at: oldest)
            }
        }
        if events.count > Self.most { remove(at: 0) }
    }

    /// Returns the events, once.
    mutating func take() -> [ImageTask.Event] {
        defer { (events, previewCount) = ([], 0) }
        return events
    }

    private mutating func remove(at index: Int) {
        if Self.isPreview(events.remove(at: index)) { previewCount -= 1 }
    }

    private static func isPreview(_ event: ImageTask.Event) -> Bool {
        if case .preview = event { true } else { false }
    }
}
