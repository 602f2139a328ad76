/* The cheapest possible process: it starts and exits. */
int main(void) { return 0; }
