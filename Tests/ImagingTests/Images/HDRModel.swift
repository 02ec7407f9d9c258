import Foundation

/// Tone mapping in double precision, as the documents write it.
struct HDRModel {
    var isPQ = true
    /// The brightest light in cd/m².
    var peak = 1000.0
    /// The light of HDR reference white in cd/m².
    var white = 203.0
    /// HLG's system gamma.
    var systemGamma = 1.2
    /// H.273's code of the primaries: 9 for BT.2020, 12 for P3.
    var primaries = 9
    /// False to cut off what is brighter than white.
    var isToneMapping = true

    /// The light of a PQ signal in cd/m² (SMPTE ST 2084, 5.1).
    static func light(pq signal: Double) -> Double {
        let (m1, m2, c1, c2, c3) = (0.1593017578125, 78.84375, 0.8359375, 18.8515625, 18.6875)
        let power = pow(signal, 1 / m2)
        return 10_000 * pow(max(power - c1, 0) / (c2 - c3 * power), 1 / m1)
    }

    /// The PQ signal of light in cd/m² (SMPTE ST 2084, 5.2).
    static func signal(pq light: Double) -> Double {
        let (m1, m2, c1, c2, c3) = (0.1593017578125, 78.84375, 0.8359375, 18.8515625, 18.6875)
        let power = pow(light / 10_000, m1)
        return pow((c1 + c2 * power) / (1 + c3 * power), m2)
    }

    /// The light of a scene, of which 1 is the brightest, for an HLG signal (BT.2100, table 5).
    static func scene(hlg signal: Double) -> Double {
        let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
        return signal <= 0.5 ? signal * signal / 3 : (exp((signal - c) / a) + b) / 12
    }

    /// sRGB's curve (IEC 61966-2-1).
    static func sRGB(_ light: Double) -> Double {
        let shown = min(max(light, 0), 1)
        return shown <= 0.0031308 ? 12.92 * shown : 1.055 * pow(shown, 1 / 2.4) - 0.055
    }

    /// Light in cd/m² on a screen whose brightest is `white` (BT.2408, annex 5).
    func toneMapped(_ light: Double) -> Double {
        guard isToneMapping else { return min(light, white) }
        guard light < peak else { return white }
        let brightest = Self.signal(pq: peak)
        let signal = Self.signal(pq: light) / brightest
        let most = Self.signal(pq: white) / brightest
        let knee = 1.5 * most - 0.5
        guard signal >= knee else { return light }
        let t = (signal - knee) / (1 - knee)
        let (t2, t3): (Double, Double) = (t * t, t * t * t)
        let start: Double = (2 * t3 - 3 * t2 + 1) * knee
        let slope: Double = (t3 - 2 * t2 + t) * (1 - knee)
        let end: Double = (3 * t2 - 2 * t3) * most
        return Self.light(pq: (start + slope + end) * brightest)
    }

    /// The light of a pixel in cd/m².
    func light(of signal: [Double]) -> [Double] {
        if isPQ { return signal.map { Self.light(pq: $0) } }
        let scene = signal.map { Self.scene(hlg: $0) }
        let luminance = zip(scene, Self.weights[primaries] ?? []).reduce(0) { $0 + $1.0 * $1.1 }
        let system = luminance > 0 ? pow(luminance, systemGamma - 1) : 0
        return scene.map { $0 * system * peak }
    }

    /// The pixel in sRGB, each colour 0 to 1.
    func shown(_ signal: [Double]) -> [Double] {
        let light = light(of: signal)
        let brightest = light.max() ?? 0
        let gain = brightest > 0 ? toneMapped(brightest) / brightest / white : 0
        let mapped = light.map { $0 * gain }
        return (Self.matrices[primaries] ?? []).map { row in
            Self.sRGB(zip(row, mapped).reduce(0) { $0 + $1.0 * $1.1 })
        }
    }

    /// The luminance of the primaries: of BT.2100 (table 5), and of SMPTE EG 432-1.
    private static let weights = [9: [0.2627, 0.6780, 0.0593], 12: [0.228975, 0.691739, 0.079287]]

    /// From BT.2020 (BT.2407, 2) and from P3 with the white of daylight to BT.709, which has sRGB's primaries.
    private static let matrices = [
        9: [
            [1.660491, -0.587641, -0.072850], [-0.124550, 1.132900, -0.008349],
            [-0.018151, -0.100579, 1.118730],
        ],
        12: [
            [1.224940, -0.224940, 0], [-0.042057, 1.042057, 0], [-0.019638, -0.078636, 1.098274],
        ],
    ]
}
