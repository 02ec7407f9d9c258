public import Foundation

/// The time, camera and exposure of a photograph, from the file's EXIF data (CIPA DC-008).
///
/// Values are untrusted: strings are truncated and stripped of control characters, and a value of another type or out
/// of range is left out. The location is not included (see `EXIFLocation`).
public struct EXIFSummary: Sendable, Hashable {
    /// The camera's maker; at most 200 characters, as every string here.
    public let make: String?
    /// The camera's model.
    public let model: String?
    /// The lens's model.
    public let lens: String?
    /// The capture time by the camera's clock in ISO 8601, such as `2024-05-06T07:08:09`.
    ///
    /// With the offset from UTC if the file has one: `2024-05-06T07:08:09+02:00`.
    public let taken: String?
    /// The exposure time in seconds.
    public let exposureTime: Double?
    /// The f-number: the focal length divided by the aperture's diameter.
    public let fNumber: Double?
    /// The ISO sensitivity.
    public let iso: Int?
    /// The focal length in millimetres.
    public let focalLength: Double?

    /// Reads the summary of a file; nil if the file has none of these values.
    ///
    /// - Parameters:
    ///   - data: The whole file.
    ///   - header: The file's header.
    public init?(of data: Data, _ header: ImageHeader) {
        guard let directory = EXIFDirectory(of: data, header) else { return nil }
        let details = directory.directory(.exif)
        make = directory.string(.make)
        model = directory.string(.model)
        lens = details?.string(.lensModel)
        taken = details.flatMap(Self.taken)
        exposureTime = details?.positive(.exposureTime)
        fNumber = details?.positive(.fNumber)
        iso = details.flatMap(Self.iso)
        focalLength = details?.positive(.focalLength)
        let known: [Any?] = [make, model, lens, taken, exposureTime, fNumber, iso, focalLength]
        guard known.contains(where: { $0 != nil }) else { return nil }
    }

    /// The capture time, or the time of digitization if only that is known.
    private static func taken(_ details: EXIFDirectory) -> String? {
        let clocks: [(EXIFDirectory.Tag, EXIFDirectory.Tag)] = [
            (.dateTimeOriginal, .offsetTimeOriginal), (.dateTimeDigitized, .offsetTimeDigitized),
        ]
        for (time, offset) in clocks {
            guard let local = details.string(time).flatMap(localTime) else { continue }
            return local + (details.string(offset).flatMap(checkedOffset) ?? "")
        }
        return nil
    }

    /// `2024:05:06 07:08:09` as ISO 8601; nil for an invalid date, such as the zeros of an unset clock.
    private static func localTime(_ text: String) -> String? {
        guard
            let match = text.wholeMatch(
                of: /([0-9]{4}):([0-9]{2}):([0-9]{2}) ([0-9]{2}):([0-9]{2}):([0-9]{2})/
            ),
            let year = Int(match.1), let month = Int(match.2), let day = Int(match.3),
            let hour = Int(match.4),
            let minute = Int(match.5), let second = Int(match.6)
        else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard year > 0, (1...12).contains(month), (1...days[month - 1]).contains(day), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        return "\(match.1)-\(match.2)-\(match.3)T\(match.4):\(match.5):\(match.6)"
    }

    /// A valid offset such as `+02:00`; otherwise nil.
    private static func checkedOffset(_ text: String) -> String? {
        guard let match = text.wholeMatch(of: /[+-]([0-9]{2}):([0-9]{2})/), let hours = Int(match.1),
            let minutes = Int(match.2), hours < 24, minutes < 60
        else { return nil }
        return text
    }

    /// The sensitivity.
    ///
    /// If it exceeds the 16 bits of its own tag, that of the wider tags.
    private static func iso(_ details: EXIFDirectory) -> Int? {
        guard let speed = details.number(.sensitivity), speed > 0 else { return nil }
        guard speed == 65_535 else { return speed }
        return details.number(.isoSpeed) ?? details.number(.recommendedExposure) ?? speed
    }
}
