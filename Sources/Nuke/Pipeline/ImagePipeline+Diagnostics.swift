public import Foundation
import Synchronization

extension ImagePipeline {
    /// The recording of what each image task waits for; off unless the configuration turns it on.
    public var diagnostics: Diagnostics { Diagnostics(pipeline: self) }

    /// True if tasks that start now are recorded.
    var isRecording: Bool {
        configuration.isDiagnosticsEnabled && !isRecordingPaused.load(ordering: .relaxed)
    }

    /// The recording of what each image task waits for.
    ///
    /// ``ImagePipeline/Configuration/isDiagnosticsEnabled`` turns it on. Every task then ends with
    /// ``ImageTask/Metrics``: the origin of the image, its cost, and the work that it shared with other tasks. The
    /// downloads in it have the numbers of their requests in a ``NetworkLog``, which has the timings of each transfer.
    public struct Diagnostics: Sendable {
        let pipeline: ImagePipeline

        /// The version of the JSON that records are encoded to.
        static let schemaVersion = 1

        /// True if the environment variable `NUKE_DIAGNOSTICS_ENABLED` is set, and not to `0`, `no` or `false` in any case.
        ///
        /// It is the default of ``ImagePipeline/Configuration/isDiagnosticsEnabled``.
        public static let isEnabledByEnvironment = isEnabled(in: ProcessInfo.processInfo.environment)

        static func isEnabled(in environment: [String: String]) -> Bool {
            let value = environment["NUKE_DIAGNOSTICS_ENABLED"]?.lowercased() ?? ""
            return !["", "0", "no", "false"].contains(value)
        }

        /// True if tasks that start now are recorded.
        ///
        /// Without effect if the configuration has turned diagnostics off. A task is recorded as a whole or not at all.
        public var isEnabled: Bool {
            get { pipeline.isRecording }
            nonmutating set { pipeline.isRecordingPaused.store(!newValue, ordering: .relaxed) }
        }

        /// The seconds since 1970.
        static var now: TimeInterval { Date().timeIntervalSince1970 }
    }
}

extension ImagePipeline.Diagnostics {
    /// The end of a task or of a job.
    public enum Outcome: String, Codable, Sendable {
        /// An image or its data.
        case success
        /// An error.
        case failure
        /// A cancellation.
        case cancelled

        init<Value>(_ result: Result<Value, ImagePipeline.Error>) {
            self =
                switch result {
                case .success: .success
                case .failure(.cancelled): .cancelled
                case .failure: .failure
                }
        }
    }

    /// The origin of an image or its data.
    public enum Source: String, Codable, Sendable {
        /// The image cache.
        case memory
        /// The data cache.
        case disk
        /// The data loader, or an ``HTTPCache`` in front of it: the ``NetworkLog`` knows which.
        case network
        /// A `file:` or `data:` URL.
        case file
        /// The request's own closure.
        case closure
    }

    /// An error of the pipeline, in a form that can be encoded.
    public struct ErrorSummary: Codable, Sendable {
        /// The name of the case of ``ImagePipeline/Error``.
        public let code: String
        /// Its description.
        public let description: String

        init(_ error: ImagePipeline.Error) {
            description = error.description
            code = error.caseName
        }

        /// The error of a result; nil for a success and for a cancellation.
        static func of<Value>(_ result: Result<Value, ImagePipeline.Error>) -> ErrorSummary? {
            switch result {
            case .success, .failure(.cancelled): nil
            case .failure(let error): ErrorSummary(error)
            }
        }
    }

    /// A change of a task's priority.
    public struct PriorityChange: Codable, Sendable {
        /// The time, in seconds since 1970.
        public let at: TimeInterval
        /// The new priority.
        public let priority: ImageRequest.Priority
    }

    /// A size in pixels.
    public struct PixelSize: Hashable, Codable, Sendable {
        /// The width.
        public let width: Int
        /// The height.
        public let height: Int

        init(_ image: PlatformImage) {
            (width, height) = (image.width, image.height)
        }
    }
}

extension ImagePipeline.Error {
    fileprivate var caseName: String {
        switch self {
        case .dataMissingInCache: "dataMissingInCache"
        case .dataIsEmpty: "dataIsEmpty"
        case .imageRequestMissing: "imageRequestMissing"
        case .pipelineInvalidated: "pipelineInvalidated"
        case .dataDownloadExceededMaximumSize: "dataDownloadExceededMaximumSize"
        case .cancelled: "cancelled"
        case .dataLoadingFailed: "dataLoadingFailed"
        case .decoderNotRegistered: "decoderNotRegistered"
        case .decodingFailed: "decodingFailed"
        case .processingFailed: "processingFailed"
        }
    }
}
