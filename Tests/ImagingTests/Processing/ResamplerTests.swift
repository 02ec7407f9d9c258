import Foundation
import Imaging
import Testing

@Suite struct ResamplerTests {
    /// More sizes than are kept prepared, in another order on each of four tasks.
    @Test(.timeLimit(.minutes(10))) func preparedResamplingsAreSharedBetweenThreads() async throws {
        let image = try ImageDecoder.decode(try Photographs.jpeg(width: 90, height: 70))
        let expected = try (1...60).map { try Resize(width: $0).apply(to: image).rgba() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for step in 0..<180 {
                        let width = (step * (task * 2 + 1)) % 60 + 1
                        let found = try Resize(width: width).apply(to: image).rgba()
                        #expect(found == expected[width - 1])
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func extremeRatiosWork() throws {
        let wide = try Photographs.gradient(20_000, 2)
        #expect(
            try Resize(width: 3, height: 1, contentMode: .fill).apply(to: wide).size
                == PixelSize(width: 3, height: 1)
        )
        let dot = try Photographs.gradient(1, 1)
        #expect(
            try Resize(width: 3000, upscale: true).apply(to: dot).size == PixelSize(width: 3000, height: 3000)
        )
    }
}
