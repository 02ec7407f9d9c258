public import Foundation
import Imaging

extension ImageRequest.ThumbnailOptions {
    /// Returns the thumbnail of a file: decoded no larger than needed, then resized; never larger than the image.
    ///
    /// - Parameter data: The whole file.
    /// - Returns: The thumbnail; nil if the data is not an image or is damaged, if a requested side is not positive, or if
    ///   neither `createThumbnailFromImageAlways` nor `createThumbnailFromImageIfAbsent` asks for one to be made.
    public func makeThumbnail(with data: Data) -> PlatformImage? {
        guard let header = try? ImageHeader.read(data) else { return nil }
        return try? image(of: header) { try Imaging.ImageDecoder.decode(data, header: $0, covering: $1) }
    }

    /// Returns the thumbnail of a file with a header; `decode` receives the size that it must cover.
    func image(
        of header: ImageHeader,
        by decode: (ImageHeader, PixelSize?) throws -> Imaging.Image
    ) throws -> PlatformImage {
        guard createThumbnailFromImageAlways || createThumbnailFromImageIfAbsent else {
            throw ImageDecodingError.unknown
        }
        let header = createThumbnailWithTransform ? header : header.asStored
        guard let size = size(for: header.size) else { throw ImageDecodingError.unknown }
        let resize = Imaging.Resize(width: size.width, height: size.height, contentMode: .fill)
        let covering = try resize.coveringSize(for: header.size, output: nil)
        let image = try decode(header, covering)
        return PlatformImage(try resize.apply(to: image, nominalSize: header.size, chroma: nil))
    }

    /// Returns the size of an image's thumbnail; nil for an invalid target.
    private func size(for size: PixelSize) -> PixelSize? {
        let (width, height) = (Double(size.width), Double(size.height))
        let scale: Double
        switch target {
        case .longestSide(let side): scale = side / max(width, height)
        case .size(let targetWidth, let targetHeight, let mode):
            guard targetWidth > 0, targetHeight > 0 else { return nil }
            let scales = (targetWidth / width, targetHeight / height)
            scale = mode == .aspectFill ? max(scales.0, scales.1) : min(scales.0, scales.1)
        }
        guard scale > 0, scale.isFinite else { return nil }
        guard scale < 1 else { return size }
        return PixelSize(
            width: max(1, Int((width * scale).rounded())),
            height: max(1, Int((height * scale).rounded()))
        )
    }
}
