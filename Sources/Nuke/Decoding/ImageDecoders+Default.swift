public import Foundation
import Imaging
import Synchronization

extension ImageDecoders {
    /// Decodes every format of this build: upright, in sRGB, and no larger than needed.
    ///
    /// If the request has thumbnail options, it makes the thumbnail. If the first processor is a `Resize` that makes the image
    /// smaller, it decodes at the least size with the same visible result: such an image must not be stored
    /// as the original or serve another request. Of animations it decodes the first frame.
    public final class Default: ImageDecoding {
        /// The source of previews.
        enum PreviewSource {
            /// The data so far, whenever more of the image can be shown.
            case dataSoFar
            /// The thumbnail that the file holds.
            case embeddedThumbnail
            /// No previews are made.
            case none
        }

        private struct Progress {
            var scans = JPEGScans()
            var shownScans = 0
            /// The bytes of the last preview of a baseline JPEG or a JPEG XL.
            var shownBytes = 0
            var previews = 0
            var isStillShown = false
        }

        private let thumbnail: ImageRequest.ThumbnailOptions?
        private let resize: ImageProcessors.Resize?
        private let previewSource: PreviewSource
        private let progress = Mutex(Progress())

        /// True: decoding takes the most time of all stages.
        public var isAsynchronous: Bool { true }

        /// Creates a decoder of full-size images.
        public init() {
            thumbnail = nil
            resize = nil
            previewSource = .dataSoFar
        }

        /// Creates a decoder of a thumbnail, or else of an image that `processor` is the first to change.
        init(
            thumbnail: ImageRequest.ThumbnailOptions?,
            processor: (any ImageProcessing)?,
            previewSource: PreviewSource
        ) {
            self.thumbnail = thumbnail
            self.previewSource = previewSource
            resize = processor.flatMap(Self.resize)
        }

        /// Returns the image with its type, and for a GIF its data.
        ///
        /// - Throws: `ImageDecodingError` for data that is not an image, or is damaged or truncated.
        public func decode(_ data: Data) throws -> ImageContainer {
            let type = AssetType(data)
            guard
                let image = try? image(
                    of: data,
                    by: { try Imaging.ImageDecoder.decode(data, header: $0, covering: $1) }
                )
            else { throw ImageDecodingError.unknown }
            let previews = progress.withLock { $0.previews }
            return ImageContainer(
                image: image,
                type: type,
                data: type == .gif ? data : nil,
                userInfo: previews > 0 ? [.scanNumberKey: previews] : [:]
            )
        }

        /// Returns a preview if the policy wants one and there is more to show than before.
        ///
        /// Incremental: of a progressive JPEG, the complete scans, each time that another one begins; of a baseline JPEG, the
        /// rows so far, each time that there are an eighth more bytes. The thumbnail: the one that a JPEG's camera wrote into
        /// it, once. Of a JPEG XL, incremental too, what it shows so far. Of a GIF with either policy one of the first frame.
        public func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? {
            progress.withLock { progress in
                switch (previewSource, AssetType(data)) {
                case (.dataSoFar, .jpeg): scans(data, &progress)
                case (.dataSoFar, .jxl): parts(data, of: .jxl, &progress)
                case (.dataSoFar, .gif), (.embeddedThumbnail, .gif): still(data, &progress)
                case (.embeddedThumbnail, .jpeg): embeddedThumbnail(data, &progress)
                default: nil
                }
            }
        }

        private func scans(_ data: Data, _ progress: inout Progress) -> ImageContainer? {
            progress.scans.read(data)
            guard progress.scans.isProgressive != false else { return rows(data, &progress) }
            let count = progress.scans.count
            guard progress.scans.isProgressive == true, count > 1, count > progress.shownScans else {
                return nil
            }
            let complete = data.prefix(progress.scans.lastStart)
            guard let image = try? preview(complete) else { return nil }
            progress.shownScans = count
            return Self.numbered(image, &progress)
        }

        private func rows(_ data: Data, _ progress: inout Progress) -> ImageContainer? {
            // So many bytes after the scan's beginning hold its header and some of its rows.
            guard progress.scans.count > 0, data.count >= progress.scans.lastStart + 256 else { return nil }
            return parts(data, of: .jpeg, &progress)
        }

        private func parts(_ data: Data, of type: AssetType, _ progress: inout Progress) -> ImageContainer? {
            guard data.count >= progress.shownBytes + progress.shownBytes / 8,
                data.count > progress.shownBytes, let image = try? preview(data)
            else { return nil }
            progress.shownBytes = data.count
            return Self.numbered(image, of: type, &progress)
        }

        private func still(_ data: Data, _ progress: inout Progress) -> ImageContainer? {
            guard !progress.isStillShown, let image = try? preview(data) else { return nil }
            progress.isStillShown = true
            return ImageContainer(image: image, type: .gif, isPreview: true)
        }

        private func embeddedThumbnail(_ data: Data, _ progress: inout Progress) -> ImageContainer? {
            guard !progress.isStillShown, let pixels = try? Imaging.ImageDecoder.embeddedThumbnail(of: data)
            else { return nil }
            progress.isStillShown = true
            return Self.numbered(PlatformImage(pixels), &progress)
        }

        private static func numbered(
            _ image: PlatformImage,
            of type: AssetType = .jpeg,
            _ progress: inout Progress
        ) -> ImageContainer {
            progress.previews += 1
            return ImageContainer(
                image: image,
                type: type,
                isPreview: true,
                userInfo: [.scanNumberKey: progress.previews]
            )
        }

        private func preview(_ data: Data) throws -> PlatformImage {
            try image(of: data) { try Imaging.ImageDecoder.preview(of: data, header: $0, covering: $1) }
        }

        /// Returns the image of data, or its thumbnail; `decode` receives the size that it must cover.
        private func image(
            of data: Data,
            by decode: (ImageHeader, PixelSize?) throws -> Imaging.Image
        ) throws -> PlatformImage {
            let header = try ImageHeader.read(data)
            if let thumbnail { return try thumbnail.image(of: header, by: decode) }
            let covering = resize?.coveringSize(for: header.size)
            return PlatformImage(try decode(header, covering), standingFor: header.size)
        }

        /// The resize that a processor starts with.
        private static func resize(_ processor: any ImageProcessing) -> ImageProcessors.Resize? {
            switch processor {
            case let resize as ImageProcessors.Resize: resize
            case let composition as ImageProcessors.Composition: composition.processors.first.flatMap(resize)
            default: nil
            }
        }
    }
}
