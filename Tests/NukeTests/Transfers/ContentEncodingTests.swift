import Files
import Foundation
import FoundationNetworking
import LoopbackServer
import Nuke
import Testing

/// Content that a server sends with a coding though none was asked for (RFC 9110, section 8.4).
@Suite struct ContentEncodingTests {
    /// 20 kB that compress to next to nothing.
    private static let content = Data((0..<20_000).map { UInt8($0 / 100 % 251) })

    /// A coding, and the content in it as zlib writes it.
    private static func encoded(_ coding: String) -> Data {
        switch coding {
        case "gzip", "x-gzip", "GZIP": Gzip.compress(content) ?? Data()
        case "raw": Deflate.compress(content) ?? Data()
        case "deflate":
            // A header of zlib (RFC 1950), and the Adler-32 of the content.
            Data([0x78, 0x9C]) + (Deflate.compress(content) ?? Data()) + adler(content)
        default: content
        }
    }

    private static func adler(_ data: Data) -> Data {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in data {
            (low, high) = ((low + UInt32(byte)) % 65521, (high + (low + UInt32(byte)) % 65521) % 65521)
        }
        return withUnsafeBytes(of: (high << 16 | low).bigEndian) { Data($0) }
    }

    private func load(_ coding: String, body: Data, limit: Int? = nil) async throws -> (
        Data, [String: String]
    ) {
        let server = try LoopbackServer { _ in
            var response = LoopbackServer.Response.data(body, type: "image/png")
            response.headers.append((name: "Content-Encoding", value: coding))
            return response
        }
        var configuration = ImagePipeline.Configuration(dataLoader: CurlDataLoader())
        configuration.maximumResponseDataSize = limit
        let pipeline = ImagePipeline(configuration: configuration)
        let request = URLRequest(url: try #require(URL(string: "\(server.address)/1.png")))
        let (data, _) = try await pipeline.data(for: ImageRequest(urlRequest: request))
        return (data, server.requests.first?.headers ?? [:])
    }

    @Test(
        "it is decoded, and a coding is never asked for",
        arguments: ["gzip", "x-gzip", "GZIP", "deflate", "raw", "identity"]
    )
    func decoded(_ coding: String) async throws {
        let body = Self.encoded(coding)
        #expect(coding == "identity" || body.count < 1_000)
        let (data, headers) = try await load(coding == "raw" ? "deflate" : coding, body: body)
        #expect(data == Self.content)
        #expect(headers["accept-encoding"] == "identity")
    }

    @Test("the limit is one of decoded bytes: a small bomb is refused")
    func bomb() async throws {
        let error = await #expect(throws: ImagePipeline.Error.self) {
            _ = try await load("gzip", body: Self.encoded("gzip"), limit: 10_000)
        }
        guard case .dataDownloadExceededMaximumSize = error else { throw try #require(error) }
        #expect(try await load("gzip", body: Self.encoded("gzip"), limit: 20_000).0 == Self.content)
    }

    @Test(
        "an image without the coding that it is said to have is taken as it is sent",
        arguments: [
            "binary", "utf-8", "aws-chunked", "none", "x-own", "gzip", "deflate", "br", "zstd",
            "identity, gzip",
        ],
        [
            Data([0xFF, 0xD8, 0xFF, 0xE0]), Data([0x89, 0x50, 0x4E, 0x47]), Data("GIF89a".utf8),
            Data("RIFF".utf8),
        ]
    )
    func wrong(_ coding: String, beginning: Data) async throws {
        let image = beginning + Self.content
        let (data, headers) = try await load(coding, body: image)
        #expect(data == image)
        #expect(headers["accept-encoding"] == "identity")
    }

    @Test("a damaged coding is a named error")
    func damaged() async throws {
        let error = await #expect(throws: ImagePipeline.Error.self) {
            // A header of gzip, and a block of a type that does not exist.
            let header = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
            _ = try await load("gzip", body: header + Data(repeating: 0xFF, count: 60))
        }
        #expect("\(try #require(error))".contains("Content-Encoding"), "\(String(describing: error))")
    }
}
