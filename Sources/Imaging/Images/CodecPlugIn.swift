internal import CImageCodecs

/// A codec that stands in a shared object of its own beside the program, in builds with the trait `PlugIns`.
///
/// It is loaded when a file or a setting asks for it. In other builds all but SVG are linked, and loading them does nothing.
public enum CodecPlugIn: String, Sendable, CaseIterable {
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
        try call(self == .palette ? "PNG with a palette" : rawValue.uppercased()) {
            if let identifier { nb_plug_in_load(identifier, $0) } else { nb_svg_load($0) }
        }
    }

    /// Nil for what is no file of this program.
    private var identifier: nb_plug_in? {
        switch self {
        case .avif: NB_PLUG_IN_AVIF
        case .jxl: NB_PLUG_IN_JXL
        case .heic: NB_PLUG_IN_HEIC
        case .tiff: NB_PLUG_IN_TIFF
        case .gif: NB_PLUG_IN_GIF
        case .palette: NB_PLUG_IN_PALETTE
        case .svg: nil
        }
    }
}
