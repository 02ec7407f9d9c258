import Imaging

/// The operations and formats that decodable files are put through.
enum Outputs {
    static let operations: [[any ImageOperation]] = [
        [Resize(width: 40, height: 30)],
        [Resize(width: 24, height: 24, contentMode: .aspectFill, crop: true), Grayscale()],
        [Crop(width: 17, height: 9, gravity: .southEast), Rotate(degrees: 90)],
        [Resize(width: 33, filter: .box, linear: true)],
        [
            Rotate(degrees: 180, flip: .horizontal),
            Resize(width: 50, height: 20, contentMode: .fill, upscale: true),
        ],
        [Trim(), GaussianBlur(radius: 3), Sharpen()],
        [BoxBlur(width: 9)],
        [Circle(), Pad(width: 90, height: 40)],
        [Crop.smart(width: 20, height: 20), RoundedCorners(radius: 5)],
        [Adjust(brightness: 0.2, saturation: 0.5), Flatten()],
        [],
    ]

    static let formats: [EncodingFormat] = [
        .png(PNGOptions(palette: true)), .avif(AVIFOptions(speed: 10)),
        .jxl(JPEGXLOptions(effort: 3)), .jxl(JPEGXLOptions(lossless: true, effort: 1)),
        .jpeg(), .jpeg(JPEGOptions(progressive: true, subsampling: .s444)), .png(PNGOptions(compression: 1)),
        .jpeg(JPEGOptions(effort: .smallest)), .webp(WebPOptions(effort: 0)),
        .webp(WebPOptions(lossless: true, effort: 0)),
    ]

    /// The choices of metadata that keep a part of it.
    static let choices: [MetadataPolicy] = [
        .copyright, .except([.location]), .only([.date, .camera, .description]), .only([.location, .people]),
    ]
}
