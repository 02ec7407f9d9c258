import Foundation

extension ImageRequest {
    /// The priority of a request among those that wait.
    public enum Priority: Int, Comparable, CaseIterable, Sendable {
        /// The lowest priority.
        case veryLow = 0
        /// Lower than normal.
        case low
        /// The default.
        case normal
        /// Higher than normal.
        case high
        /// The highest priority.
        case veryHigh

        /// Returns true if `left` waits longer than `right`.
        public static func < (left: Priority, right: Priority) -> Bool {
            left.rawValue < right.rawValue
        }

        /// The same priority in an operation queue.
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

    /// The use of caches and queues for a request.
    public struct Options: OptionSet, Hashable, Sendable {
        /// The raw bits.
        public let rawValue: UInt16

        /// Options with these bits.
        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// Does not read the memory cache.
        public static let disableMemoryCacheReads = Options(rawValue: 1 << 0)
        /// Does not write the memory cache.
        public static let disableMemoryCacheWrites = Options(rawValue: 1 << 1)
        /// Neither reads nor writes the memory cache.
        public static let disableMemoryCache: Options = [.disableMemoryCacheReads, .disableMemoryCacheWrites]
        /// Does not read the disk cache.
        public static let disableDiskCacheReads = Options(rawValue: 1 << 2)
        /// Does not write the disk cache.
        public static let disableDiskCacheWrites = Options(rawValue: 1 << 3)
        /// Neither reads nor writes the disk cache.
        public static let disableDiskCache: Options = [.disableDiskCacheReads, .disableDiskCacheWrites]
        /// Ignores cached data, and stores the result.
        public static let reloadIgnoringCachedData: Options = [
            .disableMemoryCacheReads, .disableDiskCacheReads,
        ]
        /// Fails with `dataMissingInCache` on a miss of all caches, an ``HTTPCache`` included, instead of loading.
        public static let returnCacheDataDontLoad = Options(rawValue: 1 << 4)
        /// Does not prepare the image for display.
        public static let skipDecompression = Options(rawValue: 1 << 5)
        /// Loads at once, without a slot of the data loading queue.
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
