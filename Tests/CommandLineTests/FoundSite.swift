import Foundation
import Imaging
import LoopbackServer
import Synchronization
import TestSupport

/// A site in the folder `img` that another program has made, with the manifest of a job for it and the server of its originals.
///
/// Each original has a JPEG 64 pixels wide and a WebP of 32 by 32.
struct FoundSite {
    private struct Origin {
        var changed: Set<Int> = []
        var dates: [Int: String] = [:]
        var gate: Gate?
    }

    /// The origin's state, for its handler.
    private final class Originals: Sendable {
        let origin = Mutex(Origin())

        func respond(to request: LoopbackServer.Request) -> LoopbackServer.Response {
            let (origin, name) = (origin.withLock { $0 }, (request.path as NSString).lastPathComponent)
            origin.gate?.wait(atMost: .seconds(60))
            guard let number = Int(name.dropLast(4)) else { return .status(404) }
            let isChanged = origin.changed.contains(number)
            let size = PixelSize(width: 240 + number % 50, height: isChanged ? 200 : 160)
            guard let data = try? TestImages.gradient(width: size.width, height: size.height) else {
                return .status(500)
            }
            var response = LoopbackServer.Response.resource(
                data,
                type: "image/png",
                etag: "\"\(size)\"",
                for: request
            )
            if let date = origin.dates[number] { response.headers.append(("Last-Modified", date)) }
            return response
        }
    }

    let job: JobFolder
    let server: LoopbackServer
    private let originals = Originals()
    private let count: Int

    init(count: Int = 4) throws {
        self.count = count
        job = try JobFolder()
        server = try LoopbackServer { [originals] in originals.respond(to: $0) }
        let jpeg = try Self.jpeg(width: 64)
        let webp = try Self.square(as: .webp(WebPOptions(quality: 40)))
        for number in 1...count {
            try job.folder.write(jpeg, to: "img/\(number)-64.jpg")
            try job.folder.write(webp, to: "img/\(number).webp")
        }
    }

    /// An image of this width as another program makes it.
    static func jpeg(width: Int) throws -> Data {
        let picture = try ImageDecoder.decode(TestImages.gradient(width: 240, height: 160))
        return try ImageEncoder.encode(
            Resize(width: width).apply(to: picture),
            as: .jpeg(JPEGOptions(quality: 50))
        )
    }

    /// A square of 32 pixels a side.
    static func square(as format: EncodingFormat) throws -> Data {
        let picture = try ImageDecoder.decode(TestImages.gradient(width: 240, height: 160))
        let square = Resize(width: 32, height: 32, contentMode: .aspectFill, crop: true)
        return try ImageEncoder.encode(square.apply(to: picture), as: format)
    }

    /// Writes the manifest; `rest` is what follows its outputs.
    func write(_ rest: String = "", destination: String = "img", quality: Int = 80) throws {
        let urls = (1...count).map { "\"\(server.address)/\($0).png\"" }.joined(separator: ", ")
        try job.write(
            """
            "sources": [{"urls": [\(urls)]}], "destination": "\(destination)", "outputs": [
                {"name": "small", "processors": [{"resize": {"width": 64}}],
                    "format": {"jpeg": {"quality": \(quality)}}, "path": "{stem}-64.jpg"},
                {"name": "square", "processors": [
                    {"resize": {"width": 32, "height": 32, "contentMode": "aspectFill", "crop": true}}],
                    "format": "webp", "path": "{stem}.{ext}"}]\(rest)
            """
        )
    }

    @discardableResult
    func adopt(_ words: String...) async throws -> Program.Outcome {
        try await Program.run("nuke-batch", ["adopt", "job.json"] + words, in: job.folder.path)
    }

    /// The images by name.
    func contents(of destination: String = "img") throws -> [String: Data] {
        let names = job.files(in: destination).filter { !$0.hasPrefix(".") }
        return Dictionary(uniqueKeysWithValues: try names.map { ($0, try job.data("\(destination)/\($0)")) })
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: job.folder.path("img/\(name)"))
    }

    /// The paths that were asked for.
    var requests: [String] { server.requests.map(\.path) }

    /// Changes the original of a number.
    func change(_ number: Int) {
        originals.origin.withLock { _ = $0.changed.insert(number) }
    }

    /// Gives the original of a number a date of its last change.
    func date(_ number: Int, _ date: String) {
        originals.origin.withLock { $0.dates[number] = date }
    }

    /// Lets all responses wait until the gate is opened.
    func hold() -> Gate {
        let gate = Gate()
        originals.origin.withLock { $0.gate = gate }
        return gate
    }
}
