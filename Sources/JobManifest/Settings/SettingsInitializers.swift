public import Imaging

// Initializers with all settings as parameters. What is left out has its default, which stands at the property alone.

extension LoadingSettings {
    /// Creates settings; nil for the default, which buckets of object stores do not share with hosts.
    public init(
        concurrency: Int = LoadingSettings().concurrency,
        perHost: Int? = nil,
        rate: Rate? = nil,
        burst: Int = LoadingSettings().burst,
        timeout: Duration = LoadingSettings().timeout,
        connectTimeout: Duration = LoadingSettings().connectTimeout,
        totalTimeout: Duration = LoadingSettings().totalTimeout,
        maxRedirects: Int = LoadingSettings().maxRedirects,
        maxBytes: Int = LoadingSettings().maxBytes,
        bandwidth: Int? = nil,
        method: Method = LoadingSettings().method,
        headers: [String: String] = [:],
        userAgent: String? = nil,
        authorization: Authorization? = nil,
        hosts: [String: LoadingSettings] = [:]
    ) {
        self.init()
        self.concurrency = concurrency
        choose(perHost: perHost, rate: rate)
        self.burst = burst
        self.timeout = timeout
        self.connectTimeout = connectTimeout
        self.totalTimeout = totalTimeout
        self.maxRedirects = maxRedirects
        self.maxBytes = maxBytes
        self.bandwidth = bandwidth
        self.method = method
        self.headers = headers
        self.userAgent = userAgent
        self.authorization = authorization
        self.hosts = hosts
    }

    /// Sets what is chosen: outside of an initializer, where an assignment counts as a choice.
    private mutating func choose(perHost: Int?, rate: Rate?) {
        if let perHost { self.perHost = perHost }
        if let rate { self.rate = rate }
    }
}

extension RetrySettings {
    /// Creates settings.
    public init(
        attempts: Int = RetrySettings().attempts,
        backoff: ClosedRange<Duration> = RetrySettings().backoff,
        statuses: Set<Int> = RetrySettings().statuses,
        recheck: Recheck = RetrySettings().recheck
    ) {
        self.init()
        self.attempts = attempts
        self.backoff = backoff
        self.statuses = statuses
        self.recheck = recheck
    }
}

extension CacheSettings {
    /// Creates settings; nil for the folder in the user's cache folder.
    public init(
        directory: String? = nil,
        sizeLimit: Int = CacheSettings().sizeLimit,
        policy: Policy = CacheSettings().policy,
        revalidate: Revalidation = CacheSettings().revalidate,
        maxAge: Duration? = nil,
        staleIfError: Bool = CacheSettings().staleIfError,
        compression: Compression = CacheSettings().compression
    ) {
        self.init()
        self.directory = directory ?? self.directory
        self.sizeLimit = sizeLimit
        self.policy = policy
        self.revalidate = revalidate
        self.maxAge = maxAge
        self.staleIfError = staleIfError
        self.compression = compression
    }
}

extension LimitSettings {
    /// Creates settings.
    public init(
        processing: Int = LimitSettings().processing,
        memory: Int = LimitSettings().memory,
        maxPixels: Int = LimitSettings().maxPixels,
        maxDimension: Int = LimitSettings().maxDimension,
        maxDuration: Duration? = nil
    ) {
        self.init()
        self.processing = processing
        self.memory = memory
        self.maxPixels = maxPixels
        self.maxDimension = maxDimension
        self.maxDuration = maxDuration
    }
}

extension NetworkSettings {
    /// Creates settings; nil for the working directory alone.
    public init(
        schemes: Set<String> = NetworkSettings().schemes,
        allow: [String] = [],
        fileRoots: [String]? = nil,
        proxy: Proxy = .none
    ) {
        self.init()
        self.schemes = schemes
        self.allow = allow
        self.fileRoots = fileRoots ?? self.fileRoots
        self.proxy = proxy
    }
}

extension StorageSettings {
    /// Creates settings.
    public init(s3: S3Settings) {
        self.init()
        self.s3 = s3
    }
}

extension S3Settings {
    /// Creates settings.
    public init(
        endpoint: String? = nil,
        region: String? = nil,
        usesPathStyle: Bool? = nil,
        putRate: Rate = S3Settings().putRate,
        isAnonymous: Bool = S3Settings().isAnonymous,
        paysForRequests: Bool = S3Settings().paysForRequests,
        buckets: Set<String> = []
    ) {
        self.init()
        self.endpoint = endpoint
        self.region = region
        self.usesPathStyle = usesPathStyle
        self.putRate = putRate
        self.isAnonymous = isAnonymous
        self.paysForRequests = paysForRequests
        self.buckets = buckets
    }
}

extension OutputCondition {
    /// Creates conditions.
    public init(
        minWidth: Int? = nil,
        minHeight: Int? = nil,
        maxAspect: Double? = nil,
        minBytes: Int? = nil,
        types: Set<ImageFormat> = []
    ) {
        self.init()
        self.minWidth = minWidth
        self.minHeight = minHeight
        self.maxAspect = maxAspect
        self.minBytes = minBytes
        self.types = types
    }
}

extension DatasetSettings {
    /// Creates settings.
    public init(
        pack: Pack? = nil,
        itemsPerFile: Int = DatasetSettings().itemsPerFile,
        captions: [DatasetCaption] = [],
        index: String? = nil,
        honoursOptOut: Bool = DatasetSettings().honoursOptOut,
        honoursRobots: Bool = DatasetSettings().honoursRobots,
        condition: OutputCondition = OutputCondition()
    ) {
        self.init()
        self.pack = pack
        self.itemsPerFile = itemsPerFile
        self.captions = captions
        self.index = index
        self.honoursOptOut = honoursOptOut
        self.honoursRobots = honoursRobots
        self.condition = condition
    }
}
