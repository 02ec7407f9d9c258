/// The work under way in one pipeline, by what it brings: equal requests meet here.
@PipelineActor
final class WorkPools {
    /// Original data, by what may change the answer.
    var data: [DownloadKey: SharedWork<LoadedData>] = [:]
    /// Decoded originals.
    var originals: [OriginalImageKey: SharedWork<ImageResponse>] = [:]
    /// Images with processors applied, or as they are.
    var images: [ImageKey: SharedWork<ImageResponse>] = [:]
    /// Loads that go on, also those that nobody wants any more, by their work.
    var loads: [ObjectIdentifier: Task<Void, Never>] = [:]
    /// Tasks that go on, with what ends their interest.
    var tasks: [ImageTask: Subscription] = [:]
    var dataTasks: [DataTaskKey: Subscription] = [:]
    /// Data whose decode suits only those who asked for it before: who comes now decodes it anew, but does not load it.
    var decoding: [DownloadKey: LoadedData] = [:]
    /// How often data was stored; who looks into the cache remembers it.
    private(set) var storeCount = 0
    private var lastStored: [(key: DownloadKey, number: Int)] = []

    nonisolated init() {}

    /// Remembers for a while that data was stored.
    func noteStored(_ key: DownloadKey) {
        storeCount += 1
        // A look is over before so many more are stored.
        if lastStored.count == 64 { lastStored.removeFirst() }
        lastStored.append((key, storeCount))
    }

    /// Whether data was stored after somebody looked, who may have missed it.
    func wasStored(_ key: DownloadKey, since look: Int) -> Bool {
        lastStored.reversed().prefix { $0.number > look }.contains { $0.key == key }
    }
}

/// What must be equal for two requests to share a decode.
struct OriginalImageKey: Hashable, Sendable {
    private let data: DownloadKey
    private let scale: UInt64
    private let thumbnail: String?

    init(_ request: ImageRequest, unique: Int?) {
        data = DownloadKey(request, unique: unique)
        // Not the numbers: a NaN is not equal to itself, so that nobody could find the key again.
        scale = Double(request.scale).bitPattern
        thumbnail = request.thumbnail?.identifier
    }
}

/// What must be equal for two requests to share all of their work.
struct ImageKey: Hashable, Sendable {
    private let original: OriginalImageKey
    private let imageID: String?
    private let options: ImageRequest.Options
    private let processors: [ProcessorKey]

    init(_ request: ImageRequest, unique: Int?) {
        original = OriginalImageKey(request, unique: unique)
        imageID = request.imageID
        options = request.options
        processors = request.processors.map(ProcessorKey.init)
    }
}
