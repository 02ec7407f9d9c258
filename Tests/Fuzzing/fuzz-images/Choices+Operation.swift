import Imaging

extension Choices {
    /// Any operation with any parameters, some of them without meaning.
    mutating func operation() throws -> any ImageOperation {
        switch byte() % 14 {
        case 0, 1:
            return Resize(
                width: maybe { $0.number(0...300) },
                height: maybe { $0.number(0...300) },
                contentMode: one(of: Resize.ContentMode.allCases),
                crop: flag(),
                upscale: flag(),
                filter: one(of: ResampleFilter.allCases),
                linear: flag()
            )
        case 2: return Crop(width: number(0...90), height: number(0...90), gravity: gravity())
        case 3:
            return Crop(
                x: number(-20...60),
                y: number(-20...60),
                width: number(-1...90),
                height: number(-1...90)
            )
        case 4: return Crop.smart(width: number(1...60), height: number(1...60))
        case 5:
            return Pad(
                width: maybe { $0.number(0...200) },
                height: maybe { $0.number(0...200) },
                gravity: gravity(),
                background: color()
            )
        case 6: return Circle(border: border())
        case 7: return RoundedCorners(radius: number(-1...60), border: border())
        case 8: return GaussianBlur(radius: one(of: [number(-1...3), number(0...1001)]))
        case 9: return Sharpen(sigma: number(0...20), amount: number(0...11), threshold: number(0...100))
        case 10: return Rotate(degrees: 90 * number(-5...5), flip: maybe { $0.one(of: Rotate.Flip.allCases) })
        case 11:
            return one(of: [
                Grayscale(), Flatten(background: color().opaque), Trim(tolerance: number(0...256)),
            ])
        case 12:
            return Adjust(
                brightness: number(-1...1),
                contrast: number(0...3),
                saturation: number(0...11),
                gamma: number(0.05...5)
            )
        default:
            return Watermark(
                image: try image(side: 20),
                .init(
                    gravity: gravity(),
                    scale: maybe { $0.number(0...1.1) },
                    opacity: number(0...1),
                    margin: number(-1...50),
                    tile: flag()
                )
            )
        }
    }

    private mutating func gravity() -> Gravity {
        let compass: [Gravity] = [
            .center, .north, .northEast, .east, .southEast, .south, .southWest, .west, .northWest,
        ]
        return flag() ? one(of: compass) : .point(x: number(-0.1...1.1), y: number(-0.1...1.1))
    }

    private mutating func border() -> Border? {
        maybe { Border(color: $0.color(), width: $0.number(0...30)) }
    }

    private mutating func color() -> Color {
        Color(red: UInt8(byte()), green: UInt8(byte()), blue: UInt8(byte()), alpha: UInt8(byte()))
    }
}
