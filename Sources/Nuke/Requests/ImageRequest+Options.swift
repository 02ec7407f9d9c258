import Foundation

extension ImageRequest {
    /// The place of a request among those that wait.
    public enum Priority: Int, Comparable, Sendable {
        /// After all others.
        case veryLow = 0
        /// After normal ones.
        case low
        /// Unless something else is said.
        case normal
        /// Before normal ones.
        case high
        /// Before all others.
        case veryHigh

        /// Whether `left` waits longer than `right`.
        public static func < (left: Priority, right: Priority) -> Bool {
            left.rawValue < right.rawValue
        }

        /// The same place in an operation queue.
        package var queuePriority: Operation.QueuePriority {
            switch self {
            case .veryLow: .veryLow
            case .low: .low
            case .normal: .normal
            case .high: .high
            case .veryHigh: .veryHigh
            }
        }
    }

    /// What the caches and queues do for a request.
    public struct Options: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt16

        /// Options with these bits.
        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// Does not look into the memory cache.
        public static let disableMemoryCacheReads = Options(rawValue: 1 << 0)
        /// Stores nothing in the memory cache.
        public static let disableMemoryCacheWrites = Options(rawValue: 1 << 1)
        /// Leaves the memory cache alone.
        public static let disableMemoryCache: Options = [.disableMemoryCacheReads, .disableMemoryCacheWrites]
        /// Does not look into the disk cache.
        public static let disableDiskCacheReads = Options(rawValue: 1 << 2)
        /// Stores nothing in the disk cache.
        public static let disableDiskCacheWrites = Options(rawValue: 1 << 3)
        /// Leaves the disk cache alone.
        public static let disableDiskCache: Options = [.disableDiskCacheReads, .disableDiskCacheWrites]
        /// Loads anew and stores the result.
        public static let reloadIgnoringCachedData: Options = [
            .disableMemoryCacheReads, .disableDiskCacheReads,
        ]
        /// Fails with `dataMissingInCache` instead of loading what no cache has.
        public static let returnCacheDataDontLoad = Options(rawValue: 1 << 4)
        /// Does not prepare the image for display.
        public static let skipDecompression = Options(rawValue: 1 << 5)
        /// Loads at once, past the data loading queue.
        public static let skipDataLoadingQueue = Options(rawValue: 1 << 6)
    }

    /// A key of `userInfo`.
    public struct UserInfoKey: Hashable, ExpressibleByStringLiteral, Sendable {
        /// The text of the key.
        public let rawValue: String

        /// The key with the text `rawValue`.
        public init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        /// The key with the text `value`.
        public init(stringLiteral value: String) {
            rawValue = value
        }
    }
}
