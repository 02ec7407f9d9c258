public import Foundation

extension ImagePipeline.Diagnostics {
    /// A piece of work that a pipeline does once for all tasks that need it.
    ///
    /// A request becomes a chain of jobs: one that applies each processor, one that decodes the original, and one that
    /// fetches its data. Tasks that share a job have it under the same ``id``.
    public struct Job: Codable, Sendable {
        /// The number of the job in its pipeline.
        public let id: UInt64
        /// The kind of work.
        public let kind: Kind
        /// The identifiers of the processors of the image that it makes.
        public let processors: [String]
        /// The number of the job that waits for this one; nil for the task's own.
        public internal(set) var parentID: UInt64?
        /// The number of the task whose request created the job.
        public internal(set) var createdByTaskID: UInt64?
        /// The numbers of the tasks that have reached the job so far, in this order.
        public internal(set) var taskIDs: [UInt64] = []
        /// The time at which it began, in seconds since 1970.
        public let createdAt: TimeInterval
        /// The time of its end; nil if it goes on for others.
        public internal(set) var endedAt: TimeInterval?
        /// Its end; nil if it goes on for others.
        public internal(set) var outcome: Outcome?
        /// The error that it ended with.
        public internal(set) var error: ErrorSummary?
        /// The time at which the task reached it, in seconds since 1970; nil if the task created it.
        public internal(set) var joinedAt: TimeInterval?
        /// Its steps, in the order in which they began.
        public internal(set) var stages: [Stage] = []

        /// The kinds of work.
        public enum Kind: String, Codable, Sendable {
            /// Finds the image in the caches, or applies the last processor.
            case loadImage
            /// Decodes the original.
            case fetchOriginalImage
            /// Fetches the original data.
            case fetchOriginalData
        }

        /// The seconds from its begin to its end; nil if it goes on for others.
        public var duration: TimeInterval? { endedAt.map { $0 - createdAt } }
    }

    /// A step of a job, such as a lookup, a download or a decode.
    ///
    /// The values that describe the work are set for the kinds that they apply to.
    public struct Stage: Codable, Sendable {
        /// The kind of step.
        public let kind: Kind
        /// The time at which it began to wait for its turn, in seconds since 1970.
        public let startedAt: TimeInterval
        /// The seconds that it took, its wait for a queue and a rate limit included; nil if it had not ended.
        public internal(set) var duration: TimeInterval?
        /// The part of ``duration`` for which the task waited that this copy belongs to.
        public internal(set) var attributedDuration: TimeInterval?
        /// The result of a lookup.
        public internal(set) var result: LookupResult?
        /// The type of the decoder.
        public internal(set) var decoder: String?
        /// The identifier of the processor.
        public internal(set) var processor: String?
        /// The type of the file that was decoded, such as `public.jpeg`.
        public internal(set) var format: String?
        /// The size of the image that was made.
        public internal(set) var pixels: PixelSize?
        /// The origin of loaded data.
        public internal(set) var source: Source?
        /// The bytes that were loaded or read.
        public internal(set) var bytes: Int64?
        /// The HTTP status of a download.
        public internal(set) var statusCode: Int?
        /// The number of the download's request in a ``NetworkLog``: that of ``NetworkLog/Entry/request``.
        public internal(set) var networkLogRequest: UInt64?

        /// The kinds of steps.
        public enum Kind: String, Codable, Sendable {
            /// Looks into the image cache.
            case memoryLookup
            /// Looks into the data cache.
            case diskLookup
            /// Loads data from its source.
            case download
            /// Decodes the data.
            case decode
            /// Applies a processor.
            case process
        }

        /// The results of a lookup.
        public enum LookupResult: String, Codable, Sendable {
            /// There is an entry.
            case hit
            /// There is none.
            case miss
        }

        /// The time of its end, in seconds since 1970; nil if it had not ended.
        public var endedAt: TimeInterval? { duration.map { startedAt + $0 } }
    }
}
