public import Foundation
import Synchronization

extension ImagePipeline {
    /// The settings of a pipeline.
    public struct Configuration: Sendable {
        /// The loader for requests that miss the caches.
        public var dataLoader: any DataLoading
        /// The HTTP cache in front of the loader; by default that of a ``DataLoader`` whose configuration has
        /// ``DataLoader/sharedUrlCache``, as its default has, and nil for other loaders.
        ///
        /// One that is set is also used in front of loaders that a delegate chooses; nil is none for all of them.
        public var httpCache: HTTPCache? {
            get { httpCache(for: dataLoader) }
            set { (customHTTPCache, isHTTPCacheSet) = (newValue, true) }
        }
        private var customHTTPCache: HTTPCache?
        private var isHTTPCacheSet = false
        /// The disk cache; nil by default.
        public var dataCache: (any DataCaching)?
        /// The memory cache; `ImageCache.shared` by default, nil for none.
        public var imageCache: (any ImageCaching)? {
            get { isImageCacheSet ? customImageCache : ImageCache.shared }
            set { (customImageCache, isImageCacheSet) = (newValue, true) }
        }
        private var customImageCache: (any ImageCaching)?
        private var isImageCacheSet = false

        /// Returns the decoder for a context; by default from the shared registry.
        public var makeImageDecoder: @Sendable (ImageDecodingContext) -> (any ImageDecoding)? = {
            ImageDecoderRegistry.shared.decoder(for: $0)
        }
        /// Returns the encoder for a context; by default `ImageEncoders.Default`.
        public var makeImageEncoder: @Sendable (ImageEncodingContext) -> any ImageEncoding = { _ in
            ImageEncoders.Default()
        }

        /// True if images are prepared for display; has no effect here, since decoders always produce pixels.
        public var isDecompressionEnabled = false
        /// True if images are prepared for display by UIKit; has no effect here.
        public var isUsingPrepareForDisplay = false
        /// True if the pipeline writes signposts; has no effect here, since only Apple's systems have them.
        public static var isSignpostLoggingEnabled: Bool {
            get { signpostLogging.load(ordering: .relaxed) }
            set { signpostLogging.store(newValue, ordering: .relaxed) }
        }
        private static let signpostLogging = Atomic(false)
        /// True if the work of each task is recorded in ``ImageTask/Metrics``; false by default, unless the environment
        /// turns it on (``ImagePipeline/Diagnostics/isEnabledByEnvironment``).
        public var isDiagnosticsEnabled = ImagePipeline.Diagnostics.isEnabledByEnvironment
        /// The content of the data cache; the original data by default.
        public var dataCachePolicy = DataCachePolicy.storeOriginalData
        /// True if equal concurrent requests share one download, decode and processing, which is the default.
        public var isTaskCoalescingEnabled = true
        /// True if requests to one host are limited to 80 a second after a burst of 25, which is the default.
        ///
        /// Loaders with a `HostRateLimiter` of their own use that instead.
        public var isRateLimiterEnabled = true
        /// True if previews are made while an image arrives; false by default.
        public var isProgressiveDecodingEnabled = false
        /// The least seconds between two previews of an image; 0.5 by default, 0 for no pause.
        public var progressiveDecodingInterval: TimeInterval = 0.5
        /// True if previews are stored in memory until the image is complete, which is the default.
        public var isStoringPreviewsInMemoryCache = true
        /// True if an interrupted download resumes where it ended, if the server supports that, which is the default.
        ///
        /// The beginning is kept in memory, at most 32 MB for all pipelines of a process. With a
        /// ``DataCache``, beginnings of 1 MiB and more are kept in its ``DataCache/partialDownloads`` for later processes, too.
        public var isResumableDataEnabled = true
        /// True if `file:` and `data:` URLs are read without the data loader, which is the default.
        public var isLocalResourcesSupportEnabled = true
        /// The most bytes that a response may have: by default 200 MiB or a tenth of the memory, whichever is less; nil
        /// for no limit.
        public var maximumResponseDataSize: Int? = Int(
            min(209_715_200, ProcessInfo.processInfo.physicalMemory / 10)
        )

        /// The queue whose width bounds the concurrent transfers; 6 by default.
        public var dataLoadingQueue = Self.queue("dataLoadingQueue", 6)
        /// The queue whose width bounds the concurrent reads and writes of the data cache; 2 by default.
        public var dataCachingQueue = Self.queue("dataCachingQueue", 2)
        /// The queue whose width bounds the concurrent decoders; 1 by default.
        public var imageDecodingQueue = Self.queue("imageDecodingQueue", 1)
        /// The queue whose width bounds the concurrent encoders; 1 by default.
        public var imageEncodingQueue = Self.queue("imageEncodingQueue", 1)
        /// The queue whose width bounds the concurrent processors; 2 by default.
        public var imageProcessingQueue = Self.queue("imageProcessingQueue", 2)
        /// The queue for preparing images for display, unused here; its width is 2.
        public var imageDecompressingQueue = Self.queue("imageDecompressingQueue", 2)

        private static func queue(_ name: String, _ width: Int) -> OperationQueue {
            let queue = OperationQueue(maxConcurrentOperationCount: width)
            queue.name = "com.github.kean.Nuke." + name
            return queue
        }

        /// Creates the default configuration with `dataLoader`.
        public init(dataLoader: any DataLoading = DataLoader()) {
            self.dataLoader = dataLoader
        }

        /// Returns the HTTP cache in front of `loader`.
        func httpCache(for loader: any DataLoading) -> HTTPCache? {
            isHTTPCacheSet ? customHTTPCache : (loader as? DataLoader)?.httpCache
        }

        /// The default configuration: with an ``HTTPCache`` in the user's cache folder, shared by all such configurations
        /// of the process; without one if its folder cannot be created.
        public static var withURLCache: Configuration { Configuration() }

        /// Returns a configuration for servers: the fast loader with 16 concurrent transfers, 6 to one host, a `DataCache`
        /// called `name`, and decoders, processors and encoders for every processor of the machine.
        public static func forServer(name: String = "com.github.kean.Nuke.DataCache", sizeLimit: Int? = nil)
            -> Configuration
        {
            var loading = CurlDataLoader.Configuration()
            loading.rateLimiter = HostRateLimiter()
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
        public static var withDataCache: Configuration { withDataCache() }

        /// Returns a configuration with a `DataCache` called `name`, and no other cache of responses; without any if its
        /// folder cannot be created.
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

    /// The content of the data cache.
    public enum DataCachePolicy: Sendable {
        /// Processed images encoded, originals for requests without processors.
        case automatic
        /// The original data of every request.
        case storeOriginalData
        /// Every image, encoded; no original data.
        case storeEncodedImages
        /// The original data of every request, and processed images encoded.
        case storeAll

        /// True if the encoded image of `request` is stored.
        func storesEncoded(_ request: ImageRequest) -> Bool {
            switch self {
            case .automatic, .storeAll: !request.processors.isEmpty || request.thumbnail != nil
            case .storeOriginalData: false
            case .storeEncodedImages: true
            }
        }

        /// True if the original data is stored for `request`, which may store.
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
    /// Creates a cache by name, with another size limit if given.
    fileprivate convenience init(name: String, sizeLimit: Int?) throws {
        try self.init(name: name)
        if let sizeLimit { self.sizeLimit = sizeLimit }
    }
}
