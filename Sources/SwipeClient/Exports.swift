// A program that listens for swipes names events, readers and cards on every line: one import is to be enough for
// those too. `public import` alone lets this module use them; it does not give them to whoever imports it.
@_exported public import CardData
@_exported public import SwipeProtocol
