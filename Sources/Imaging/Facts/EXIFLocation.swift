public import Foundation

/// The location where a photograph was taken, from the GPS data in the file's EXIF data (CIPA DC-008, 4.6.6).
///
/// It may reveal a home address: read it only on explicit request.
public struct EXIFLocation: Sendable, Hashable {
    /// Degrees north of the equator, -90 to 90, rounded to seven decimals.
    public let latitude: Double
    /// Degrees east of Greenwich, -180 to 180, rounded to seven decimals.
    public let longitude: Double
    /// Metres above sea level, if known.
    public let altitude: Double?

    /// Reads the location of a file; nil if it is missing, incomplete or out of range.
    ///
    /// - Parameters:
    ///   - data: The whole file.
    ///   - header: The file's header.
    public init?(of data: Data, _ header: ImageHeader) {
        guard let gps = EXIFDirectory(of: data, header)?.directory(.gps),
            let latitude = Self.degrees(in: gps, .latitude, .latitudeReference, by: ("N", "S"), most: 90),
            let longitude = Self.degrees(in: gps, .longitude, .longitudeReference, by: ("E", "W"), most: 180)
        else { return nil }
        self.latitude = latitude
        self.longitude = longitude
        // Reference 1 means below sea level. Without a reference, the altitude is above.
        altitude = gps.rational(.altitude).map { gps.byte(.altitudeReference) == 1 ? -$0 : $0 }
    }

    /// Degrees, minutes and seconds as one number, below zero for the negative sign.
    private static func degrees(
        in gps: EXIFDirectory,
        _ tag: EXIFDirectory.Tag,
        _ reference: EXIFDirectory.Tag,
        by signs: (positive: String, negative: String),
        most: Double
    ) -> Double? {
        guard let side = gps.string(reference), side == signs.positive || side == signs.negative,
            let degrees = gps.rational(tag, 0), let minutes = gps.rational(tag, 1),
            let seconds = gps.rational(tag, 2)
        else { return nil }
        let angle = degrees + minutes / 60 + seconds / 3600
        guard angle <= most else { return nil }
        let rounded = (angle * 1e7).rounded() / 1e7
        return side == signs.negative && rounded > 0 ? -rounded : rounded
    }
}
