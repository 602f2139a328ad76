//! Tells the linker that Node provides its own symbols at run time.

fn main() {
    napi_build::setup();
}
