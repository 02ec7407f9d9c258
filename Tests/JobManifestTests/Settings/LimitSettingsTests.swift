import Foundation
import Imaging
@testable import JobManifest
import Testing

@Suite struct LimitSettingsTests {
    @Test("every key of limits is taken, and those of an image limit images")
    func limits() throws {
        let reading = try NodeReading(
            #"{"processing": 3, "memory": 4, "maxPixels": 5, "maxDimension": 6, "maxDuration": "7s"}"#
        )
        let settings = LimitSettings(reading.node)
        #expect(settings.processing == 3 && settings.memory == 4 && settings.maxPixels == 5)
        #expect(settings.maxDimension == 6 && settings.maxDuration == .seconds(7))
        let image = ImageLimits(settings)
        #expect(image.maxPixels == 5 && image.maxDimension == 6 && reading.errors.isEmpty)
    }

    @Test("without a number of its own, a run uses every core")
    func processing() {
        #expect(LimitSettings(nil).processing == ProcessInfo.processInfo.activeProcessorCount)
    }
}
