import Foundation
import LoopbackServer
import Testing

@testable import Transport

@Suite(.timeLimit(.minutes(10))) struct BandwidthTests {
    @Test("a full bucket holds a tenth of a second, and is overdrawn by what comes at once")
    func overdraft() {
        let start = ContinuousClock.now
        var bucket = ByteBucket(rate: 1000)
        #expect(bucket.tokens == 100)
        #expect(bucket.wait(at: start) == .zero)
        bucket.tokens -= 99
        #expect(bucket.wait(at: start) == .zero)
        bucket.tokens -= 1
        // One byte is there after a millisecond.
        #expect(bucket.wait(at: start) == .seconds(0.001))
        bucket.tokens -= 499
        #expect(bucket.wait(at: start) == .seconds(0.5))
        #expect(bucket.wait(at: start + .milliseconds(400)) > .milliseconds(90))
        #expect(bucket.wait(at: start + .milliseconds(400)) < .milliseconds(110))
        #expect(bucket.wait(at: start + .milliseconds(600)) == .zero)
    }

    @Test("what is not used is saved for a tenth of a second, and no longer")
    func saving() {
        let start = ContinuousClock.now
        var bucket = ByteBucket(rate: 1000)
        _ = bucket.wait(at: start)
        _ = bucket.wait(at: start + .seconds(3600))
        #expect(bucket.tokens == 100)
        bucket.tokens = 0
        _ = bucket.wait(at: start + .seconds(3600) + .milliseconds(50))
        #expect(abs(bucket.tokens - 50) < 0.001)
        // A clock that stands still, or an earlier reading, gives nothing.
        _ = bucket.wait(at: start + .seconds(3600) + .milliseconds(50))
        _ = bucket.wait(at: start)
        #expect(abs(bucket.tokens - 50) < 0.001)
    }

    @Test("a rate below one byte a second is one", arguments: [(5, 5), (1, 1), (0, 1), (-5, 1)])
    func least(rate: Int, expected: Int) {
        #expect(Bandwidth(bytesPerSecond: rate).bytesPerSecond == expected)
    }

    @Test("transfers that share a bandwidth take the time that it allows")
    func transfers() async throws {
        let body = Data(count: 100_000)
        let server = try LoopbackServer { _ in .data(body) }
        let bandwidth = Bandwidth(bytesPerSecond: 500_000)
        let transport = Transport()
        let start = ContinuousClock.now
        await withTaskGroup(of: TransferOutcome.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    var request = TransferRequest(server)
                    request.bandwidths = [Bandwidth(bytesPerSecond: 1 << 40), bandwidth]
                    request.idleTimeout = .seconds(30)
                    return await transport.run(request)
                }
            }
            for await outcome in group {
                #expect(outcome.error == nil)
                #expect(outcome.body == body)
                #expect(outcome.stalls == 0)
            }
        }
        // 300 000 bytes, less what the bucket has saved and what each transfer may read at once.
        #expect(ContinuousClock.now - start >= .milliseconds(100))
    }

    @Test("a buffer is used again when its data has gone; a short chunk gives it back at once")
    func buffers() {
        let buffers = ChunkBuffers()
        let first = buffers.take()
        first.storeBytes(of: 7, as: UInt8.self)
        var long: Data? = buffers.data(first, count: ChunkBuffers.size)
        #expect(long?.count == ChunkBuffers.size)
        #expect(long?.first == 7)
        let second = buffers.take()
        #expect(second != first)
        long = nil
        #expect(buffers.take() == first)
        second.storeBytes(of: 8, as: UInt8.self)
        let short = buffers.data(second, count: ChunkBuffers.size / 2 - 1)
        #expect(buffers.take() == second)
        second.storeBytes(of: 9, as: UInt8.self)
        #expect(short.first == 8)
        #expect(short.count == ChunkBuffers.size / 2 - 1)
        buffers.giveBack(first)
        buffers.giveBack(second)
    }
}
