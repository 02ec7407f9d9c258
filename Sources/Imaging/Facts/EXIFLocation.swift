public import Foundation

/// Where a picture was taken, as a receiver for satellites wrote it into the file's EXIF data (CIPA DC-008, 4.6.6).
///
/// It may tell where somebody lives: read it only for those who ask for it.
public struct EXIFLocation: Sendable, Hashable {
    /// Degrees north of the equator, -90 to 90, to seven places.
    public let latitude: Double
    /// Degrees east of Greenwich, -180 to 180, to seven places.
    public let longitude: Double
    /// Metres above the sea, if that is known.
    public let altitude: Double?

    /// Where a file says that it was taken; nil if it does not say so in full, or names no place on the earth.
    ///
    /// - Parameters:
    ///   - data: the whole file.
    ///   - header: its header.
    public init?(of data: Data, _ header: ImageHeader) {
        guard let gps = EXIFDirectory(of: data, header)?.directory(.gps),
            let latitude = Self.degrees(gps, .latitude, .latitudeReference, "N", "S", most: 90),
            let longitude = Self.degrees(gps, .longitude, .longitudeReference, "E", "W", most: 180)
        else { return nil }
        self.latitude = latitude
        self.longitude = longitude
        // The reference 1 is below the sea; without a reference it is above.
        altitude = gps.rational(.altitude).map { gps.byte(.altitudeReference) == 1 ? -$0 : $0 }
    }

    /// Degrees, minutes and seconds as one number, below zero on the side of `negative`.
    private static func degrees(
        _ gps: EXIFDirectory,
        _ tag: EXIFDirectory.Tag,
        _ reference: EXIFDirectory.Tag,
        _ positive: String,
        _ negative: String,
        most: Double
    ) -> Double? {
        guard let side = gps.string(reference), side == positive || side == negative,
            let degrees = gps.rational(tag, 0), let minutes = gps.rational(tag, 1),
            let seconds = gps.rational(tag, 2)
        else { return nil }
        let angle = degrees + minutes / 60 + seconds / 3600
        guard angle <= most else { return nil }
        let rounded = (angle * 1e7).rounded() / 1e7
        return side == negative && rounded > 0 ? -rounded : rounded
    }
}
