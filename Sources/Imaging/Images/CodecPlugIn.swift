internal import CImageCodecs

/// A codec that stands in a shared object of its own beside the program, in builds with the trait `PlugIns`.
///
/// It is loaded when a file or a setting asks for it. In other builds all but SVG are linked, and loading them does nothing.
public enum CodecPlugIn: String, Sendable, CaseIterable {
    // In the order of nb_plug_in, which has no librsvg: that is no file of this program.

    case avif, jxl, heic, tiff, gif
    /// Writes PNG with a palette.
    case palette
    /// librsvg, which every build takes from the system when a drawing is to be drawn.
    case svg

    /// Loads the plug-in unless it is loaded; codecs do so by themselves.
    ///
    /// Call it to learn of a missing one before there is an image, or before the process is confined. May be called from any
    /// thread.
    /// - Throws: `ImagingError` of reason `plugIn` with the file, the cause and a remedy.
    public func load() throws(ImagingError) {
        let place = UInt32(Self.allCases.firstIndex(of: self) ?? 0)
        try call(self == .palette ? "PNG with a palette" : rawValue.uppercased()) {
            self == .svg ? nb_svg_load($0) : nb_plug_in_load(nb_plug_in(rawValue: place), $0)
        }
    }
}
