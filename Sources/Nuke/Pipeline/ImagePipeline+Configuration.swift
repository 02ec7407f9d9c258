public import Foundation

extension ImagePipeline {
    /// The settings of a pipeline.
    public struct Configuration: Sendable {
        /// Loads what no cache has.
        public var dataLoader: any DataLoading
        /// Keeps data beyond the process; nil unless set.
        public var dataCache: (any DataCaching)?
        /// What is kept in the data cache; the original data unless set.
        public var dataCachePolicy = DataCachePolicy.storeOriginalData
        /// Whether equal requests at one time share one download; true unless set.
        public var isTaskCoalescingEnabled = true
        /// Whether `file:` and `data:` URLs are read without the data loader; true unless set.
        public var isLocalResourcesSupportEnabled = true
        /// The most bytes that a response may have: 200 MiB or a tenth of the memory, the lesser, unless set; nil
        /// for no limit.
        public var maximumResponseDataSize: Int? = Int(
            min(209_715_200, ProcessInfo.processInfo.physicalMemory / 10)
        )
        /// Its width bounds the transfers that run at once; 6 unless set.
        public var dataLoadingQueue = OperationQueue()

        /// The defaults, with `dataLoader`.
        public init(dataLoader: any DataLoading = DataLoader()) {
            self.dataLoader = dataLoader
            dataLoadingQueue.name = "com.github.kean.Nuke.dataLoadingQueue"
            dataLoadingQueue.maxConcurrentOperationCount = 6
        }

        /// A configuration with a `DataCache` of the default name.
        public static var withDataCache: Configuration {
            withDataCache()
        }

        /// A configuration with a `DataCache` called `name`, and no other cache of responses; without any if its
        /// folder cannot be made.
        public static func withDataCache(
            name: String = "com.github.kean.Nuke.DataCache",
            sizeLimit: Int? = nil
        ) -> Configuration {
            let session = DataLoader.defaultConfiguration
            session.urlCache = nil
            var configuration = Configuration(dataLoader: DataLoader(configuration: session))
            let cache = try? DataCache(name: name)
            if let sizeLimit { cache?.sizeLimit = sizeLimit }
            configuration.dataCache = cache
            return configuration
        }
    }

    /// What is kept in the data cache.
    public enum DataCachePolicy: Sendable {
        /// Processed images encoded, originals for requests without processors.
        case automatic
        /// The original data of every request.
        case storeOriginalData
        /// Every image, encoded; no original data.
        case storeEncodedImages
        /// The original data of every request, and processed images encoded.
        case storeAll

        /// Whether the original data is kept for `request`, which may store.
        func storesOriginal(for request: ImageRequest) -> Bool {
            switch self {
            case .automatic: request.processors.isEmpty
            case .storeOriginalData, .storeAll: true
            case .storeEncodedImages: false
            }
        }
    }
}
