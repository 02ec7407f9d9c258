import Dispatch
import Foundation
import Imaging
import Synchronization

// Measures a floor of SSIMULACRA2 beside a fixed quality, and the search for it beside a bisection.
// usage: quality-bench WIDTH FORMAT[,...] FILE...     a line of JSON for each picture and format: see Benchmarks/quality/run
//        quality-bench score IMAGE FILE ...           the score of each file: see Benchmarks/quality/metric

/// A lossy format whose quality or floor is given.
enum Format: String {
    case jpeg, webp, avif, jxl

    func encoding(quality: Int) -> EncodingFormat {
        switch self {
        case .jpeg: .jpeg(JPEGOptions(quality: quality))
        case .webp: .webp(WebPOptions(quality: quality))
        case .avif: .avif(AVIFOptions(quality: quality))
        case .jxl: .jxl(JPEGXLOptions(distance: JPEGXLOptions.distance(ofQuality: quality)))
        }
    }

    func encoding(floor: Double) -> EncodingFormat {
        switch self {
        case .jpeg: .jpeg(JPEGOptions(minimumSSIMULACRA2: floor))
        case .webp: .webp(WebPOptions(minimumSSIMULACRA2: floor))
        case .avif: .avif(AVIFOptions(minimumSSIMULACRA2: floor))
        case .jxl: .jxl(JPEGXLOptions(minimumSSIMULACRA2: floor))
        }
    }
}

/// A file of a picture at one quality, or at a floor.
struct Made: Codable {
    var score: Double
    var bytes: Int
    var encodes = 1
    var seconds = 0.0
    var isBelow = false
}

/// The files of one picture in one format.
struct Line: Codable {
    let file: String
    let format: String
    /// By quality.
    var fixed: [Int: Made] = [:]
    /// By floor.
    var floors: [Int: Made] = [:]
    /// By floor: the search by bisection.
    var bisected: [Int: Made] = [:]
}

let floors = [60, 70, 80]
/// The qualities between which those of equal percentiles are interpolated.
let qualities = [10, 30, 50, 65, 75, 84, 91, 96, 100]
/// A bisection is so slow that one of so many pictures has to do.
let bisectedEach = 4

func timed(_ body: () throws -> Made) rethrows -> Made {
    let start = clock_gettime_nsec()
    var made = try body()
    made.seconds = Double(clock_gettime_nsec() - start) / 1e9
    return made
}

/// The CPU time of this thread in nanoseconds.
func clock_gettime_nsec() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

func made(_ image: Image, _ format: EncodingFormat) throws -> Made {
    let file = try ImageEncoder.encoded(image, as: format)
    let score = try file.score?.ssimulacra2 ?? image.ssimulacra2(of: ImageDecoder.decode(file.data))
    return Made(
        score: score,
        bytes: file.data.count,
        encodes: file.encodes,
        isBelow: file.score?.shortfall != nil
    )
}

/// The lowest quality with the floor, by halving: seven files, as others search.
func bisected(_ image: Image, _ format: Format, floor: Int) throws -> Made {
    var (low, high, best, encodes) = (1, 100, Made?.none, 0)
    while low <= high {
        let middle = (low + high) / 2
        let file = try made(image, format.encoding(quality: middle))
        encodes += 1
        if file.score >= Double(floor) {
            best = file
            high = middle - 1
        } else {
            low = middle + 1
        }
    }
    var result = try best ?? made(image, format.encoding(quality: 100))
    result.encodes = encodes
    result.isBelow = best == nil
    return result
}

let words = CommandLine.arguments.dropFirst()
if words.first == "score" {
    let images = try words.dropFirst().map { path in
        try ImageDecoder.decode(Data(contentsOf: URL(fileURLWithPath: path)))
    }
    for index in stride(from: 0, to: images.count, by: 2) {
        print(try images[index].ssimulacra2(of: images[index + 1]))
    }
    exit(0)
}
guard words.count > 2, let width = Int(words[1]) else {
    fatalError("usage: quality-bench WIDTH FORMAT[,...] FILE..., or quality-bench score IMAGE FILE ...")
}
let formats = words[2].split(separator: ",").map { name in
    guard let format = Format(rawValue: String(name)) else { fatalError("\(name) is not a format") }
    return format
}
let files = Array(words.dropFirst(2))
let output = Mutex(())
DispatchQueue.concurrentPerform(iterations: files.count) { index in
    do {
        let data = try Data(contentsOf: URL(fileURLWithPath: files[index]))
        let original = try Flatten(background: .white).apply(to: ImageDecoder.decode(data))
        let image = try Resize(width: width, height: width).apply(to: original)
        for format in formats {
            var line = Line(file: files[index], format: format.rawValue)
            for quality in qualities {
                line.fixed[quality] = try timed { try made(image, format.encoding(quality: quality)) }
            }
            for floor in floors {
                line.floors[floor] = try timed { try made(image, format.encoding(floor: Double(floor))) }
                guard index % bisectedEach == 0 else { continue }
                line.bisected[floor] = try timed { try bisected(image, format, floor: floor) }
            }
            let text = try JSONEncoder().encode(line) + Data("\n".utf8)
            output.withLock { _ in FileHandle.standardOutput.write(text) }
        }
    } catch {
        FileHandle.standardError.write(Data("\(files[index]): \(error)\n".utf8))
    }
}
