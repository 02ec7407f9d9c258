import Imaging
import JobManifest
import Testing

@testable import NukeBatch

/// The sizes that an adopted output may have.
@Suite struct ObtainableSizesTests {
    /// Processors, and a width and a height of their result.
    struct Case: Sendable {
        let steps: [Step]
        let width, height: Int

        init(_ steps: [Step], _ size: (width: Int, height: Int)) {
            (self.steps, width, height) = (steps, size.width, size.height)
        }

        var size: PixelSize { PixelSize(width: width, height: height) }
    }

    private static let wide = Step.resize(Resize(width: 640))
    private static let box = Step.resize(Resize(width: 640, height: 640))
    private static let square = Step.resize(
        Resize(width: 320, height: 320, contentMode: .aspectFill, crop: true)
    )
    private static let enlarged = Step.resize(Resize(width: 640, upscale: true))
    private static let turned = Step.rotate(Rotate(degrees: 90))
    private static let circle = Step.circle(Circle())

    @Test(
        "an original larger than the result gives the size; without a resize, one of its own size",
        arguments: [
            Case([wide], (640, 427)), Case([wide], (640, 1)), Case([wide], (640, 5000)),
            Case([box], (640, 480)), Case([box], (427, 640)), Case([square], (320, 320)),
            Case([enlarged], (640, 427)), Case([wide, .grayscale], (640, 100)), Case([], (123, 45)),
            Case([.grayscale], (1, 1)), Case([turned, wide], (640, 900)), Case([wide, turned], (427, 640)),
            Case([circle, wide], (640, 640)), Case([box, .pad(Pad(width: 640, height: 640))], (640, 640)),
            Case([wide, .crop(Crop(width: 640, height: 400))], (640, 400)),
            Case([.trim(Trim()), wide], (640, 333)),
        ]
    )
    func obtainable(_ each: Case) throws {
        #expect(try ObtainableSizes(each.steps).contains(each.size))
    }

    @Test(
        "a control: other sizes are not given, and smaller ones by originals that are not enlarged alone",
        arguments: [
            (Case([wide], (639, 427)), true), (Case([wide], (320, 213)), true),
            (Case([wide], (641, 427)), false),
            (Case([box], (320, 240)), true), (Case([box], (640, 641)), false),
            (Case([square], (320, 319)), false), (Case([square], (200, 200)), true),
            (Case([enlarged], (320, 213)), false), (Case([circle, wide], (640, 639)), false),
            (Case([circle], (64, 63)), false), (Case([wide, turned], (427, 641)), false),
            // An original of 427 × 640 is not enlarged, and then turned.
            (Case([wide, turned], (640, 427)), true),
        ] as [(Case, Bool)]
    )
    func notObtainable(_ each: Case, isUnresized: Bool) throws {
        let sizes = try ObtainableSizes(each.steps)
        #expect(!sizes.contains(each.size))
        #expect(sizes.containsUnresized(each.size) == isUnresized)
    }

    @Test(
        "a side is fixed where no original changes it",
        arguments: [
            ([wide], [640, nil]), ([square, .grayscale], [320, 320]), ([wide, turned], [nil, 640]),
            ([box], [nil, nil]), ([], [nil, nil]),
        ] as [([Step], [Int?])]
    )
    func fixed(steps: [Step], sides: [Int?]) throws {
        let fixed = try ObtainableSizes(steps).fixed
        #expect([fixed.width, fixed.height] == sides)
    }
}
