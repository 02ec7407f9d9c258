internal import CImageCodecs
internal import Foundation

/// Converts decoded pixels to sRGB.
///
/// A profile that is broken or has another colour model is ignored.
enum ColorProfile {
    /// The image in sRGB; the same image if its profile is equivalent to sRGB.
    ///
    /// The image must come straight from its decoder: gray and RGB planes are converted in place.
    static func convert(_ image: Image, profile: Data?) throws(ImagingError) -> Image {
        guard let profile, !profile.isEmpty else { return image }
        switch (kind(profile), image.colorModel) {
        case (NB_PROFILE_GRAY, .gray):
            apply(profile, to: image.colorPlanes)
            return image
        case (NB_PROFILE_RGB, .rgb):
            apply(profile, to: image.colorPlanes)
            return image
        case (NB_PROFILE_RGB, .ycbcr):
            let converted = try image.converted(to: .rgb)
            apply(profile, to: converted.colorPlanes)
            return converted
        default: return image
        }
    }

    /// The sRGB planes of packed CMYK, converted with the profile, or with the simple formula if no profile is usable.
    static func convertCMYK(
        _ packed: Plane,
        size: PixelSize,
        region: Region,
        inverted: Bool,
        profile: Data?
    ) throws(ImagingError) -> Image {
        let planes = try [Plane](3, of: size, region: region)
        let isConverted = planes.withCPlanes { target in
            [packed].withCPlanes { source in
                guard let profile, kind(profile) == NB_PROFILE_CMYK else { return false }
                var error = nb_error()
                return withBytes(profile) {
                    nb_profile_convert_cmyk($0, $1, source, inverted ? 1 : 0, target, &error) == NB_OK
                }
            }
        }
        if !isConverted {
            planes.withCPlanes { target in
                [packed].withCPlanes { nb_cmyk_to_rgb($0, inverted ? 1 : 0, target) }
            }
        }
        return Image(colorModel: .rgb, planes: planes)
    }

    private static func kind(_ profile: Data) -> nb_profile {
        withBytes(profile) { nb_profile_kind($0, $1) }
    }

    private static func apply(_ profile: Data, to planes: [Plane]) {
        var error = nb_error()
        _ = planes.withCPlanes { target in
            withBytes(profile) { nb_profile_convert($0, $1, target, Int32(planes.count), &error) }
        }
    }
}
