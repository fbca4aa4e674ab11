import CALSA

/// What concerns libasound as a whole.
enum ALSALibrary {
    /// libasound prints its errors to standard error; what matters of them comes back as a result. Once a process: the
    /// first use does it.
    static let silence: Void = calsa_silence()
}
