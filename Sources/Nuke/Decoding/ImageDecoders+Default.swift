public import Foundation
import Imaging
import Synchronization

extension ImageDecoders {
    /// Decodes every format that this build reads: upright, in sRGB, and no larger than needed.
    ///
    /// With a thumbnail asked for, that is made. Where the first of the request's processors is a `Resize` that makes the image
    /// smaller, it is decoded at the least size from which that gives the same visible result: such an image must not be kept
    /// as the original, nor serve another request. Of animations the first frame is decoded.
    public final class Default: ImageDecoding {
        private struct Progress {
            var scans = JPEGScans()
            var shownScans = 0
            var previews = 0
            var isStillShown = false
        }

        private let thumbnail: ImageRequest.ThumbnailOptions?
        private let resize: ImageProcessors.Resize?
        private let policy: ImagePipeline.PreviewPolicy
        private let progress = Mutex(Progress())

        /// On the decoding queue: decoding is the most work of all.
        public var isAsynchronous: Bool { true }

        /// A decoder of images in full.
        public init() {
            thumbnail = nil
            resize = nil
            policy = .incremental
        }

        /// A decoder for a request, and for the previews that are wanted of it; never nil, since the data that has come may be
        /// too little to tell what it is.
        public init?(context: ImageDecodingContext) {
            thumbnail = context.isFinal ? nil : context.request.thumbnail
            resize = context.isFinal ? nil : context.request.processors.first.flatMap(Self.resize)
            policy = context.previewPolicy
        }

        /// The image, its type, and of a GIF the data.
        ///
        /// - Throws: `ImageDecodingError` for data that is no image, is damaged or cut short.
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

        /// A preview, if the policy wants one and there is more to show than before.
        ///
        /// Incremental ones: of a progressive JPEG one each time that another scan begins after the first, with all that are
        /// complete; of a GIF one of the first frame. The thumbnail: the one that a JPEG's camera wrote into it, once.
        public func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? {
            progress.withLock { progress in
                switch (policy, AssetType(data)) {
                case (.incremental, .jpeg): scans(data, &progress)
                case (.incremental, .gif): still(data, &progress)
                case (.thumbnail, .jpeg): embeddedThumbnail(data, &progress)
                default: nil
                }
            }
        }

        private func scans(_ data: Data, _ progress: inout Progress) -> ImageContainer? {
            progress.scans.read(data)
            let count = progress.scans.count
            guard progress.scans.isProgressive == true, count > 1, count > progress.shownScans else {
                return nil
            }
            let complete = data.prefix(progress.scans.lastStart)
            guard let image = try? preview(complete) else { return nil }
            progress.shownScans = count
            return Self.numbered(image, &progress)
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

        private static func numbered(_ image: PlatformImage, _ progress: inout Progress) -> ImageContainer {
            progress.previews += 1
            return ImageContainer(
                image: image,
                type: .jpeg,
                isPreview: true,
                userInfo: [.scanNumberKey: progress.previews]
            )
        }

        private func preview(_ data: Data) throws -> PlatformImage {
            try image(of: data) { try Imaging.ImageDecoder.preview(of: data, header: $0, covering: $1) }
        }

        /// The image of data, or its thumbnail; `decode` is told the size that it must cover.
        private func image(
            of data: Data,
            by decode: (ImageHeader, PixelSize?) throws -> Imaging.Image
        ) throws -> PlatformImage {
            let header = try ImageHeader.read(data)
            if let thumbnail { return try thumbnail.image(of: header, by: decode) }
            let covering = resize?.coveringSize(for: header.size)
            return PlatformImage(try decode(header, covering), standingFor: header.size)
        }

        /// The resize that a processor begins with.
        private static func resize(_ processor: any ImageProcessing) -> ImageProcessors.Resize? {
            switch processor {
            case let resize as ImageProcessors.Resize: resize
            case let composition as ImageProcessors.Composition: composition.processors.first.flatMap(resize)
            default: nil
            }
        }
    }
}
