public import Imaging

/// A processor of a manifest.
///
/// Its parameters are those of the operation of that name; sizes are in pixels.
public enum Step: Sendable, Hashable {
    /// Changes the size.
    case resize(Resize)
    /// Crops to a part of the image.
    case crop(Crop)
    /// Pads to a canvas.
    case pad(Pad)
    /// Cuts a circle out.
    case circle(Circle)
    /// Rounds the corners off.
    case roundedCorners(RoundedCorners)
    /// Blurs.
    case gaussianBlur(GaussianBlur)
    /// Sharpens.
    case sharpen(Sharpen)
    /// Rotates by quarter turns and mirrors.
    case rotate(Rotate)
    /// Keeps the luma alone.
    case grayscale
    /// Blends transparent pixels with a background colour.
    case flatten(Flatten)
    /// Cuts off a border of one colour.
    case trim(Trim)
    /// Changes tones.
    case adjust(Adjust)
    /// Overlays a watermark.
    case watermark(WatermarkImage, Watermark.Placement)

    /// Returns the operation; `watermarks` are the loaded images.
    ///
    /// - Throws: `ImagingError` of reason `processing` if a watermark is not among them.
    package func operation(_ watermarks: [WatermarkImage: Image]) throws(ImagingError) -> any ImageOperation {
        switch self {
        case .resize(let resize): resize
        case .crop(let crop): crop
        case .pad(let pad): pad
        case .circle(let circle): circle
        case .roundedCorners(let corners): corners
        case .gaussianBlur(let blur): blur
        case .sharpen(let sharpen): sharpen
        case .rotate(let rotate): rotate
        case .grayscale: Grayscale()
        case .flatten(let flatten): flatten
        case .trim(let trim): trim
        case .adjust(let adjust): adjust
        case .watermark(let watermark, let placement):
            Watermark(image: try watermark.image(among: watermarks), placement)
        }
    }

    /// The step with all its parameters, the defaults too, so that equal work has equal text.
    package var canonical: CanonicalJSON {
        switch self {
        case .resize(let resize): ["resize": resize.json]
        case .crop(let crop): ["crop": crop.json]
        case .pad(let pad): ["pad": pad.json]
        case .circle(let circle): ["circle": circle.json]
        case .roundedCorners(let corners): ["roundedCorners": corners.json]
        case .gaussianBlur(let blur): ["gaussianBlur": blur.json]
        case .sharpen(let sharpen): ["sharpen": sharpen.json]
        case .rotate(let rotate): ["rotate": rotate.json]
        case .grayscale: ["grayscale": [:]]
        case .flatten(let flatten): ["flatten": flatten.json]
        case .trim(let trim): ["trim": trim.json]
        case .adjust(let adjust): ["adjust": adjust.json]
        case .watermark(let image, let placement):
            ["watermark": WatermarkStep(image: image, placement: placement).json]
        }
    }
}
