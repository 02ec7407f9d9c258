import Foundation
import FoundationNetworking
import LoopbackServer
import Nuke
import Testing

@Suite(.timeLimit(.minutes(10)))
struct BandwidthTests {
    private func load(_ configuration: CurlDataLoader.Configuration, _ urls: [URL]) async -> (
        bytes: Int, seconds: Double
    ) {
        let loader = CurlDataLoader(configuration: configuration)
        let start = ContinuousClock.now
        let bytes = await withTaskGroup(of: Int.self) { group in
            for url in urls {
                group.addTask {
                    let outcome = await loader.load(url)
                    return outcome.error == nil ? outcome.body.count : 0
                }
            }
            return await group.reduce(0, +)
        }
        return (bytes, (ContinuousClock.now - start) / .seconds(1))
    }

    @Test func holdsAllTransfersTogether() async throws {
        let body = Data((0..<40_000).map { UInt8($0 % 251) })
        let server = try LoopbackServer { _ in .data(body) }
        var configuration = CurlDataLoader.Configuration()
        configuration.limits.bandwidth = 40_000
        // While transfers wait for their bandwidth no time limit for want of bytes runs: a buffer of each takes longer.
        configuration.limits.timeout = .seconds(1)
        let (bytes, seconds) = await load(configuration, (0..<4).map { server.url("/\($0)") })
        #expect(bytes == 160_000)
        // All but the tenth of a second that is saved up, and a buffer a transfer.
        let least = Double(160_000 - 4_000 - 4 * 16_384) / 4e4
        #expect(seconds >= least, "\(seconds) s")
    }

    @Test func holdsOneHostAlone() async throws {
        let body = Data(count: 300_000)
        let server = try LoopbackServer { _ in .data(body) }
        let other = try LoopbackServer { _ in .data(body) }
        var configuration = CurlDataLoader.Configuration()
        configuration.hosts["127.0.0.1:\(server.port)"] = configuration.limits
        configuration.hosts["127.0.0.1:\(server.port)"]?.bandwidth = 400_000
        let slow = await load(configuration, [server.url()])
        let least = Double(300_000 - 40_000 - 16_384) / 4e5
        #expect(slow.bytes == 300_000 && slow.seconds >= least, "\(slow)")
        // The other host is not held: all of it comes while the first one's bytes take minutes.
        configuration.hosts["127.0.0.1:\(server.port)"]?.bandwidth = 1000
        let loader = CurlDataLoader(configuration: configuration)
        let recorder = LoadRecorder()
        let held = recorder.start(URLRequest(url: server.url()), on: loader)
        await recorder.wait(forBytes: 1)
        #expect(await loader.load(other.url()).body.count == 300_000)
        #expect(recorder.outcome.completions == 0)
        held.cancel()
    }

    @Test func aPausedTransferCanBeCancelled() async throws {
        let server = try LoopbackServer { _ in .data(Data(count: 300_000)) }
        var configuration = CurlDataLoader.Configuration()
        configuration.limits.bandwidth = 1000
        let loader = CurlDataLoader(configuration: configuration)
        let recorder = LoadRecorder()
        let load = recorder.start(URLRequest(url: server.url()), on: loader)
        await recorder.wait(forBytes: 1)
        load.cancel()
        #expect(await CurlDataLoader().load(server.url()).body.count == 300_000)
        #expect(recorder.outcome.completions == 0)
    }
}
