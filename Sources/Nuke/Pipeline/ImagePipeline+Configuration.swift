public import Foundation

extension ImagePipeline {
    /// The settings of a pipeline.
    public struct Configuration: Sendable {
        /// Loads what no cache has.
        public var dataLoader: any DataLoading
        /// Keeps responses before the loader, by the rules of HTTP; nil unless set.
        ///
        /// It stands before the loaders that a delegate chooses as well.
        public var httpCache: HTTPCache?
        /// Keeps data beyond the process; nil unless set.
        public var dataCache: (any DataCaching)?
        /// Keeps images in memory; `ImageCache.shared` unless set, nil for none.
        public var imageCache: (any ImageCaching)? {
            get { isImageCacheSet ? customImageCache : ImageCache.shared }
            set { (customImageCache, isImageCacheSet) = (newValue, true) }
        }
        private var customImageCache: (any ImageCaching)?
        private var isImageCacheSet = false

        /// Chooses a decoder; the shared registry does unless set.
        public var makeImageDecoder: @Sendable (ImageDecodingContext) -> (any ImageDecoding)? = {
            ImageDecoderRegistry.shared.decoder(for: $0)
        }
        /// Chooses an encoder; `ImageEncoders.Default` unless set.
        public var makeImageEncoder: @Sendable (ImageEncodingContext) -> any ImageEncoding = { _ in
            ImageEncoders.Default()
        }

        /// Whether images are prepared for display; decoders here always give pixels, so nothing follows from it.
        public var isDecompressionEnabled = false
        /// What is kept in the data cache; the original data unless set.
        public var dataCachePolicy = DataCachePolicy.storeOriginalData
        /// Whether equal requests at one time share one download, decode and processing; true unless set.
        public var isTaskCoalescingEnabled = true
        /// Whether a host is asked at most 80 times a second, after a burst of 25; true unless set.
        ///
        /// A loader with a `HostGate` of its own is left to that.
        public var isRateLimiterEnabled = true
        /// Whether previews are made of images that come in parts; false unless set.
        public var isProgressiveDecodingEnabled = false
        /// Seconds between two previews of an image; 0.5 unless set, 0 for no pause.
        public var progressiveDecodingInterval: TimeInterval = 0.5
        /// Whether previews are kept in memory until the image is there; true unless set.
        public var isStoringPreviewsInMemoryCache = true
        /// Whether a download that broke off goes on where it ended, if the server can do that; true unless set.
        ///
        /// The beginning is kept in memory, of all pipelines of a process at most 32 MB; of 1 MiB and more, and with a
        /// ``DataCache``, in its ``DataCache/partialDownloads``, where a later process finds it.
        public var isResumableDataEnabled = true
        /// Whether `file:` and `data:` URLs are read without the data loader; true unless set.
        public var isLocalResourcesSupportEnabled = true
        /// The most bytes that a response may have: 200 MiB or a tenth of the memory, the lesser, unless set; nil
        /// for no limit.
        public var maximumResponseDataSize: Int? = Int(
            min(209_715_200, ProcessInfo.processInfo.physicalMemory / 10)
        )

        /// Its width bounds the transfers that run at once; 6 unless set.
        public var dataLoadingQueue = Self.queue("dataLoadingQueue", 6)
        /// Its width bounds the reads and writes of the data cache that run at once; 2 unless set.
        public var dataCachingQueue = Self.queue("dataCachingQueue", 2)
        /// Its width bounds the decoders that run at once; 1 unless set.
        public var imageDecodingQueue = Self.queue("imageDecodingQueue", 1)
        /// Its width bounds the encoders that run at once; 1 unless set.
        public var imageEncodingQueue = Self.queue("imageEncodingQueue", 1)
        /// Its width bounds the processors that run at once; 2 unless set.
        public var imageProcessingQueue = Self.queue("imageProcessingQueue", 2)
        /// For preparing images for display, which nothing does here; its width is 2.
        public var imageDecompressingQueue = Self.queue("imageDecompressingQueue", 2)

        private static func queue(_ name: String, _ width: Int) -> OperationQueue {
            let queue = OperationQueue()
            queue.name = "com.github.kean.Nuke." + name
            queue.maxConcurrentOperationCount = width
            return queue
        }

        /// The defaults, with `dataLoader`.
        public init(dataLoader: any DataLoading = DataLoader()) {
            self.dataLoader = dataLoader
        }

        /// The defaults, with responses kept by the rules of HTTP: in the user's folder of caches, in one ``HTTPCache`` for
        /// all such configurations of the process; without any if its folder cannot be made.
        public static var withURLCache: Configuration {
            var configuration = Configuration()
            configuration.httpCache = sharedHTTPCache
            return configuration
        }

        private static let sharedHTTPCache = try? HTTPCache()

        /// What suits a server: the fast loader with 16 transfers at once, 6 of them to one host, a `DataCache` called
        /// `name`, and decoders, processors and encoders for every processor of the machine.
        public static func forServer(name: String = "com.github.kean.Nuke.DataCache", sizeLimit: Int? = nil)
            -> Configuration
        {
            var loading = CurlDataLoader.Configuration()
            loading.gate = HostGate()
            var configuration = Configuration(dataLoader: CurlDataLoader(configuration: loading))
            configuration.dataCache = try? DataCache(name: name, sizeLimit: sizeLimit)
            configuration.dataLoadingQueue.maxConcurrentOperationCount = 16
            let cores = ProcessInfo.processInfo.activeProcessorCount
            for queue in [
                configuration.imageDecodingQueue, configuration.imageProcessingQueue,
                configuration.imageEncodingQueue,
            ] {
                queue.maxConcurrentOperationCount = cores
            }
            return configuration
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
            configuration.dataCache = try? DataCache(name: name, sizeLimit: sizeLimit)
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

        /// Whether the image of `request` is kept, encoded.
        func storesEncoded(_ request: ImageRequest) -> Bool {
            switch self {
            case .automatic, .storeAll: !request.processors.isEmpty || request.thumbnail != nil
            case .storeOriginalData: false
            case .storeEncodedImages: true
            }
        }

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

extension DataCache {
    /// A cache by name, with another limit than the usual one where that is given.
    fileprivate convenience init(name: String, sizeLimit: Int?) throws {
        try self.init(name: name)
        if let sizeLimit { self.sizeLimit = sizeLimit }
    }
}
