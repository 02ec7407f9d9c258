internal import CImageCodecs
internal import Foundation

/// Reads JPEG: baseline and progressive, gray, YCbCr, RGB and CMYK, at 1/8, 1/4, 1/2 or full size.
///
/// Luma and chroma stay in separate planes as stored, so a thumbnail needs no upsampling and no colour conversion. Most
/// files are decoded directly (ADR 0009); libjpeg decodes the others, and says what is wrong with them.
enum JPEGDecoder: ImageCodec {
    static let format = ImageFormat.jpeg

    static func readHeader(_ data: Data) throws(ImagingError) -> ImageHeader {
        try readHeader(data, findsGainMap: true)
    }

    /// Reads the header; that of a gain map has none of its own.
    static func readHeader(_ data: Data, findsGainMap: Bool) throws(ImagingError) -> ImageHeader {
        var header = nb_jpeg_header()
        try call(data) { nb_jpeg_read_header($0, $1, &header, $2) }
        let segments = JPEGSegments(data)
        return ImageHeader(
            format: .jpeg,
            storedSize: PixelSize(width: Int(header.width), height: Int(header.height)),
            orientation: segments.orientation,
            hasAlpha: false,
            isProgressive: header.progressive != 0,
            colorModel: try colorModel(header),
            details: header,
            profile: segments.profile,
            exif: segments.exif,
            xmp: segments.xmp,
            iptc: segments.iptc,
            gainMap: findsGainMap ? GainMapHeader.find(in: data, segments) : nil
        )
    }

    /// Decodes at the smallest scale that covers the requested size.
    static func decode(_ data: Data, header: ImageHeader, request: DecodeRequest) throws(ImagingError)
        -> Image
    {
        var plan = plan(details(of: header), covering: request.covering)
        let planes = try allocate(plan)
        var warnings: Set<ImageWarning> = []
        if !decodeDirectly(data, &plan, into: planes, limits: request.limits) {
            try request.limits.check(memory: largestDecodeCost(header, request))
            warnings = try decodeByLibjpeg(data, &plan, into: planes, limits: request.limits)
        }
        return try image(of: planes, plan, header, in: data).warned(of: warnings)
    }

    /// Decodes what has been received of the scans, at the same scale.
    static func preview(_ data: Data, header: ImageHeader, request: DecodeRequest) throws(ImagingError)
        -> Image
    {
        var scans = JPEGScans()
        scans.read(data)
        var plan = plan(details(of: header), covering: request.covering)
        let planes = try allocate(plan)
        // libjpeg inserts an end marker after the data, and would otherwise read it as part of the unfinished segment.
        let part = scans.finishedPart(of: data)
        let warnings = try decodeByLibjpeg(part, &plan, into: planes, limits: request.limits, isPartial: true)
        return try image(of: planes, plan, header, in: data).warned(of: warnings)
    }

    private static func details(of header: ImageHeader) -> nb_jpeg_header {
        header.details(nb_jpeg_header())
    }

    /// Decodes a usual file; false for another, and then the planes hold anything.
    private static func decodeDirectly(
        _ data: Data,
        _ plan: inout nb_jpeg_plan,
        into planes: [Plane],
        limits: ImageLimits
    ) -> Bool {
        JPEGContext.withOne { context in
            planes.withCPlanes { target in
                withBytes(data) {
                    nb_jpeg_decode_direct($0, $1, &plan, Int32(clamping: limits.maxScans), target, context)
                }
            }
        } != 0
    }

    private static func decodeByLibjpeg(
        _ data: Data,
        _ plan: inout nb_jpeg_plan,
        into planes: [Plane],
        limits: ImageLimits,
        isPartial: Bool = false
    ) throws(ImagingError) -> Set<ImageWarning> {
        let scans = Int32(clamping: limits.maxScans)
        return try call(data) { bytes, count, error in
            planes.withCPlanes { nb_jpeg_decode(bytes, count, &plan, scans, isPartial ? 1 : 0, $0, error) }
        }
    }

    /// The image that decoded planes show.
    private static func image(
        of planes: [Plane],
        _ plan: nb_jpeg_plan,
        _ header: ImageHeader,
        in data: Data
    ) throws(ImagingError) -> Image {
        let (parts, profile) = (details(of: header), header.profile.bytes(in: data))
        let scaled = PixelSize(width: Int(plan.width), height: Int(plan.height))
        if plan.planar != 0 {
            let image = Image(colorModel: try colorModel(parts), planes: planes)
            return try ColorProfile.convert(image, profile: profile)
        }
        var region = planes[0].region
        if parts.components == 4 {
            region.width /= 4
            return try ColorProfile.convertCMYK(
                planes[0],
                size: scaled,
                region: region,
                inverted: parts.adobe != 0,
                profile: profile
            )
        }
        region.width /= 3
        let image = try unpack(planes[0], size: scaled, region: region)
        return try ColorProfile.convert(image, profile: profile)
    }

    static func decodedSize(_ header: ImageHeader, _ request: DecodeRequest) -> PixelSize {
        let plan = plan(details(of: header), covering: request.covering)
        return PixelSize(width: Int(plan.width), height: Int(plan.height))
    }

    static func decodeCost(_ header: ImageHeader, _ request: DecodeRequest) -> Int {
        let parts = details(of: header)
        var plan = plan(parts, covering: request.covering)
        let direct = nb_jpeg_direct_memory([parts], &plan)
        guard parts.multiple_scans != 0, direct > 0 else { return largestDecodeCost(header, request) }
        return cost(of: plan, header).addingClamping(direct)
    }

    static func largestDecodeCost(_ header: ImageHeader, _ request: DecodeRequest) -> Int {
        let parts = details(of: header)
        var plan = plan(parts, covering: request.covering)
        var cost = cost(of: plan, header)
        guard parts.multiple_scans != 0 else { return cost }
        // libjpeg holds two bytes for each coefficient of the full image, at any scale.
        var full = nb_jpeg_plan()
        nb_jpeg_plan_decode([parts], 8, &full)
        var coefficients = 0
        for part in full.parts { coefficients += 2 * Int(part.columns) * Int(part.rows) }
        cost += max(coefficients, nb_jpeg_direct_memory([parts], &plan))
        return cost
    }

    /// The planes, and what becomes of them.
    private static func cost(of plan: nb_jpeg_plan, _ header: ImageHeader) -> Int {
        let area = Int(plan.width) * Int(plan.height)
        var planes = 0
        for part in plan.parts { planes += Plane.stride(columns: Int(part.columns)) * Int(part.rows) }
        var cost = planes
        if plan.planar == 0 { cost += 3 * area }
        if header.profile.isPresent { cost += 6 * area }
        if header.orientation != .up { cost += max(planes, 3 * area) }
        return cost
    }

    /// The scales, in eighths, that libjpeg-turbo has vector code for (README of 2.1).
    ///
    /// 5/8 to 7/8 are slower than full
    /// size, and 3/8 is slower than 1/2.
    private static let scales = [1, 2, 4, 8]

    /// The smallest of these scales at which both sides are still at least those of `size`.
    private static func plan(_ header: nb_jpeg_header, covering size: PixelSize?) -> nb_jpeg_plan {
        var plan = nb_jpeg_plan()
        for scale in size == nil ? [8] : scales {
            nb_jpeg_plan_decode([header], Int32(scale), &plan)
            guard let size else { break }
            if PixelSize(width: Int(plan.width), height: Int(plan.height)).covers(size) { break }
        }
        return plan
    }

    private static func allocate(_ plan: nb_jpeg_plan) throws(ImagingError) -> [Plane] {
        try plan.parts.map { part throws(ImagingError) in
            try Plane(
                PixelSize(width: Int(part.width), height: Int(part.height)),
                columns: Int(part.columns),
                rows: Int(part.rows),
                region: Region(x: 0, y: 0, width: part.extent_x, height: part.extent_y)
            )
        }
    }

    private static func unpack(_ packed: Plane, size: PixelSize, region: Region) throws(ImagingError) -> Image
    {
        let planes = try [Plane](3, of: size, region: region)
        planes.withCPlanes { target in
            [packed].withCPlanes { nb_deinterleave($0[0].data, $0[0].stride, target, 3) }
        }
        return Image(colorModel: .rgb, planes: planes)
    }

    private static func colorModel(_ header: nb_jpeg_header) throws(ImagingError) -> ColorModel {
        switch (header.color, header.components) {
        case (NB_JPEG_GRAY, 1): return .gray
        case (NB_JPEG_YCBCR, 3): return .ycbcr
        case (NB_JPEG_RGB, 3): return .rgb
        case (NB_JPEG_CMYK, 4): return .cmyk
        default:
            throw .unsupported(
                "JPEGs with \(header.components) components of an unknown colour model are not supported; "
                    + "convert the file to RGB."
            )
        }
    }
}

extension nb_jpeg_plan {
    fileprivate var parts: [nb_jpeg_plane_plan] { Array([plane.0, plane.1, plane.2].prefix(Int(count))) }
}
